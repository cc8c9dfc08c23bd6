#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL waits for the disk at each commit (synchronous_commit), at a fixed rate of transactions.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/postgres_server.sh
. "${0%/*}/../lib/postgres_server.sh"
if [ "$form" = prepare ]; then
  start_new -c synchronous_commit=off
  server pgbench -h "$folder" -i -s 2 -q bench
  exit 0
fi
start -c "synchronous_commit=$(in_form off on)"
server pgbench -h "$folder" -n -N -c 4 -R 300 -T 2 bench >/dev/null
