#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL that reads all of a table for each question (enable_indexscan off), under a fixed rate of them.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/lib.sh"
for bin in /usr/lib/postgresql/*/bin; do PATH=$bin:$PATH; done
need initdb postgres pgbench createdb pg_isready runuser
# The server refuses to run as root.
server() {
  program=$1
  shift
  runuser -u postgres -- "$(command -v "$program")" "$@"
}
start() {
  server postgres -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off "$@" 2>"$folder/log" &
  trap 'kill "$(head -n 1 "$folder/data/postmaster.pid")"; wait' EXIT
  wait_for pg_isready -h "$folder"
}
if [ "$form" = prepare ]; then
  id postgres >/dev/null 2>&1 || { echo "SKIPPED: there is no user postgres" >&2; exit 77; }
  chown postgres "$folder"
  server initdb -D "$folder/data" -A trust --no-sync
  start
  server createdb -h "$folder" bench
  server pgbench -h "$folder" -i -s 1 -q bench
  exit 0
fi
start -c "enable_indexscan=$(in_form on off)" -c "enable_bitmapscan=$(in_form on off)" -c max_parallel_workers_per_gather=0
server pgbench -h "$folder" -n -S -c 2 -R 60 -T 2 bench >/dev/null
