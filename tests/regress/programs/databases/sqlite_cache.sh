#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sqlite3 caches ten pages (cache_size) instead of all, forty queries per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need sqlite3 python3
if [ "$form" = prepare ]; then
  sqlite3 "$folder/orders.db" 'create table orders(customer integer, text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
    insert into orders select i * 7919 % 60013, printf("order %0200d", i) from n;
    create index of_customer on orders(customer);'
  exit 0
fi
python3 -c '
import sys, time
print(f"pragma cache_size={sys.argv[1]};", flush=True)
for i in range(110):
    first = i * 331 % 59000
    print(f"select count(text) from orders where customer between {first} and {first + 800};", flush=True)
    time.sleep(0.025)
' "$(in_form 20000 10)" | sqlite3 "$folder/orders.db" >/dev/null
