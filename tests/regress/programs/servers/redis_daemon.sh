#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client of a running redis-server that syncs each write (appendfsync always). The server is no child of
# the recorded command; only the clients are.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need redis-server redis-benchmark redis-cli
if [ "$form" = prepare ]; then
  for fsync in no always; do
    mkdir "$folder/$fsync"
    redis-server --port 0 --unixsocket "$folder/$fsync.socket" --save '' --dir "$folder/$fsync" --appendonly yes \
      --appendfsync "$fsync" --auto-aof-rewrite-percentage 0 --daemonize yes --pidfile "$folder/$fsync.pid"
    wait_for redis-cli -s "$folder/$fsync.socket" ping
  done
  exit 0
fi
timeout 2.8 redis-benchmark -s "$folder/$(in_form no always).socket" -t set -c 4 -r 1000 -l -q >/dev/null ||
  [ $? = 124 ]
