#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sqlite3 without an index for the query, fifty queries per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need sqlite3 python3
if [ "$form" = prepare ]; then
  sqlite3 "$folder/orders.db" 'create table orders(customer integer, text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
    insert into orders select i % 9973, "order " || i from n;'
  cp "$folder/orders.db" "$folder/plain.db"
  sqlite3 "$folder/orders.db" 'create index of_customer on orders(customer);'
  exit 0
fi
python3 -c '
import time
for i in range(140):
    print(f"select count(text) from orders where customer = {i * 71};", flush=True)
    time.sleep(0.02)
' | sqlite3 "$folder/$(in_form orders plain).db" >/dev/null
