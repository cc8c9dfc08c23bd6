#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sqlite3 with the rollback journal and full syncs instead of a write-ahead log; a hundred
# transactions per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need sqlite3 python3
[ "$form" != prepare ] || exit 0
rm -f "$folder"/orders.db*
python3 -c '
import sys, time
print(sys.argv[1], "create table orders(id integer primary key, text);", sep="\n", flush=True)
for i in range(280):
    print(f"insert into orders(text) values (\"order {i}\");", flush=True)
    time.sleep(0.01)
' "$(in_form 'pragma journal_mode=wal; pragma synchronous=normal;' \
             'pragma journal_mode=delete; pragma synchronous=full;')" | sqlite3 "$folder/orders.db" >/dev/null
