#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL: a transaction holds an exclusive lock of a table for 300 ms at a time instead of 5 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/postgres_server.sh
. "${0%/*}/../lib/postgres_server.sh"
need psql
if [ "$form" = prepare ]; then
  start_new -c synchronous_commit=off
  server psql -h "$folder" -d bench -c 'create table stock(id int primary key, n int); insert into stock values (1, 0)'
  echo 'select n from stock where id = 1;' >"$folder/read.sql"
  for ms in 5 300; do
    printf 'begin;\nlock table stock in access exclusive mode;\n\\sleep %s ms\ncommit;\n\\sleep 400 ms\n' "$ms" \
      >"$folder/change-$ms.sql"
  done
  exit 0
fi
start -c synchronous_commit=off
server pgbench -h "$folder" -n -f "$folder/change-$(in_form 5 300).sql" -T 2 bench >/dev/null &
server pgbench -h "$folder" -n -f "$folder/read.sql" -c 2 -R 200 -T 2 bench >/dev/null
