#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# redis-server syncs each write before it answers (appendfsync always) instead of once a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need redis-server redis-benchmark redis-cli
[ "$form" != prepare ] || exit 0
socket=$folder/redis.sock
rm -rf "$folder/appendonlydir"
redis-server --port 0 --unixsocket "$socket" --save '' --appendonly yes --dir "$folder" \
  --appendfsync "$(in_form everysec always)" &
trap 'kill $!; wait' EXIT
wait_for redis-cli -s "$socket" ping
timeout 2.5 redis-benchmark -s "$socket" -t set -c 4 -r 10000 -l -q >/dev/null || [ $? = 124 ]
