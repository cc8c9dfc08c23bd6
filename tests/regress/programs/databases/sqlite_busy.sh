#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sqlite3: another program locks the database for 40 ms at a time instead of 1 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need sqlite3 python3
rm -f "$folder"/orders.db*
[ "$form" != prepare ] || exit 0
sqlite3 "$folder/orders.db" 'pragma journal_mode=wal; create table orders(id integer primary key, words);' >/dev/null
python3 -c '
import sqlite3, sys, time
orders = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=5)
over = time.monotonic() + 2.3
while time.monotonic() < over:
    orders.execute("begin immediate")
    time.sleep(float(sys.argv[2]))
    orders.execute("commit")
    time.sleep(0.05)
' "$folder/orders.db" "$(in_form 0.001 0.04)" &
turns=0
{
  echo '.timeout 5000'
  echo 'pragma synchronous=normal;'
  while [ "$turns" -lt 110 ]; do
    echo "insert into orders(words) values ('order');"
    sleep 0.015
    turns=$((turns + 1))
  done
} | sqlite3 "$folder/orders.db" >/dev/null
wait
