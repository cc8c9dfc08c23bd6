#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL that sorts with 64 kB of memory (work_mem), and so through files, not with 32 MB, ten times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
for bin in /usr/lib/postgresql/*/bin; do PATH=$bin:$PATH; done
need initdb postgres pgbench createdb pg_isready runuser
# The server refuses to run as root.
server() {
  program=$1
  shift
  runuser -u postgres -- "$(command -v "$program")" "$@"
}
start() {
  server postgres -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off -c "work_mem=$1" \
    -c max_parallel_workers_per_gather=0 2>"$folder/log" &
  trap 'kill "$(head -n 1 "$folder/data/postmaster.pid")"; wait' EXIT
  wait_for pg_isready -h "$folder"
}
if [ "$form" = prepare ]; then
  id postgres >/dev/null 2>&1 || { echo "SKIPPED: there is no user postgres" >&2; exit 77; }
  chown postgres "$folder"
  server initdb -D "$folder/data" -A trust --no-sync
  start 4MB
  server createdb -h "$folder" bench
  server pgbench -h "$folder" -i -s 1 -q bench
  echo 'select max(n) from (select row_number() over (order by aid * 7919 % 9973, filler) as n
    from pgbench_accounts where aid <= 10000) as sorted;' >"$folder/sort.sql"
  exit 0
fi
start "$(in_form 32MB 64kB)"
server pgbench -h "$folder" -n -f "$folder/sort.sql" -R 10 -T 2 bench >/dev/null
