#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL: a session holds a row lock for 40 ms at a time instead of 1 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/postgres_server.sh
. "${0%/*}/../lib/postgres_server.sh"
need psql
if [ "$form" = prepare ]; then
  start_new -c synchronous_commit=off
  server psql -h "$folder" -d bench -c 'create table stock(id int primary key, n int); insert into stock values (1, 0)'
  echo 'update stock set n = n + 1 where id = 1;' >"$folder/buy.sql"
  for ms in 1 40; do
    printf 'begin;\nupdate stock set n = n + 1 where id = 1;\n\\sleep %s ms\ncommit;\n\\sleep 60 ms\n' "$ms" \
      >"$folder/count-$ms.sql"
  done
  exit 0
fi
start -c synchronous_commit=off
server pgbench -h "$folder" -n -f "$folder/count-$(in_form 1 40).sql" -T 2 bench >/dev/null &
server pgbench -h "$folder" -n -f "$folder/buy.sql" -c 2 -R 200 -T 2 bench >/dev/null
