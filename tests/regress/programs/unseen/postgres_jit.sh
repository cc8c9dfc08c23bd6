#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL that compiles each question before it answers it (jit_above_cost=0), ten times a second.
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
  server postgres -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off -c "jit=$1" \
    -c jit_above_cost=0 -c jit_inline_above_cost=0 -c jit_optimize_above_cost=0 2>"$folder/log" &
  trap 'kill "$(head -n 1 "$folder/data/postmaster.pid")"; wait' EXIT
  wait_for pg_isready -h "$folder"
}
if [ "$form" = prepare ]; then
  id postgres >/dev/null 2>&1 || { echo "SKIPPED: there is no user postgres" >&2; exit 77; }
  chown postgres "$folder"
  server initdb -D "$folder/data" -A trust --no-sync
  start off
  server createdb -h "$folder" bench
  server pgbench -h "$folder" -i -s 1 -q bench
  echo 'select sum(abalance + bid) from pgbench_accounts where aid <= 500;' >"$folder/sum.sql"
  exit 0
fi
start "$(in_form off on)"
server pgbench -h "$folder" -n -f "$folder/sum.sql" -R 10 -T 2 bench >/dev/null
