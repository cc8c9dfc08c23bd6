#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL in which one session keeps a row locked for 40 ms at a time, not for 1.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
for bin in /usr/lib/postgresql/*/bin; do PATH=$bin:$PATH; done
need initdb postgres pgbench createdb pg_isready runuser psql
# The server refuses to run as root.
server() {
  program=$1
  shift
  runuser -u postgres -- "$(command -v "$program")" "$@"
}
start() {
  server postgres -D "$folder/data" -k "$folder" -c listen_addresses= -c synchronous_commit=off 2>"$folder/log" &
  trap 'kill "$(head -n 1 "$folder/data/postmaster.pid")"; wait' EXIT
  wait_for pg_isready -h "$folder"
}
if [ "$form" = prepare ]; then
  id postgres >/dev/null 2>&1 || { echo "SKIPPED: there is no user postgres" >&2; exit 77; }
  chown postgres "$folder"
  server initdb -D "$folder/data" -A trust --no-sync
  start
  server createdb -h "$folder" bench
  server psql -h "$folder" -d bench -c 'create table stock(id int primary key, n int); insert into stock values (1, 0)'
  echo 'update stock set n = n + 1 where id = 1;' >"$folder/buy.sql"
  for ms in 1 40; do
    printf 'begin;\nupdate stock set n = n + 1 where id = 1;\n\\sleep %s ms\ncommit;\n\\sleep 60 ms\n' "$ms" \
      >"$folder/count-$ms.sql"
  done
  exit 0
fi
start
server pgbench -h "$folder" -n -f "$folder/count-$(in_form 1 40).sql" -T 2 bench >/dev/null &
server pgbench -h "$folder" -n -f "$folder/buy.sql" -c 2 -R 200 -T 2 bench >/dev/null
