#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL compiles each query first (jit_above_cost=0), ten queries per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/postgres_server.sh
. "${0%/*}/../lib/postgres_server.sh"
if [ "$form" = prepare ]; then
  start_new -c fsync=off -c jit=off
  server pgbench -h "$folder" -i -s 1 -q bench
  echo 'select sum(abalance + bid) from pgbench_accounts where aid <= 500;' >"$folder/sum.sql"
  exit 0
fi
start -c fsync=off -c "jit=$(in_form off on)" \
  -c jit_above_cost=0 -c jit_inline_above_cost=0 -c jit_optimize_above_cost=0
server pgbench -h "$folder" -n -f "$folder/sum.sql" -R 10 -T 2 bench >/dev/null
