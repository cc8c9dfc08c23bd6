#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL scans a whole table for each query (enable_indexscan off), at a fixed rate.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/postgres_server.sh
. "${0%/*}/../lib/postgres_server.sh"
if [ "$form" = prepare ]; then
  start_new -c fsync=off
  server pgbench -h "$folder" -i -s 1 -q bench
  exit 0
fi
start -c fsync=off -c "enable_indexscan=$(in_form on off)" -c "enable_bitmapscan=$(in_form on off)" \
  -c max_parallel_workers_per_gather=0
server pgbench -h "$folder" -n -S -c 2 -R 60 -T 2 bench >/dev/null
