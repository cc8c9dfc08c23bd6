#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A redis-server that runs all the time and is asked by what is recorded; one that waits for the disk before it
# answers (appendfsync always) instead of one that does not. Of the command's process tree are only those who ask.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/lib.sh"
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
