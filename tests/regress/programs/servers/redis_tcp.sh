#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# redis-server, asked over TCP, syncs each write before it answers (appendfsync always) instead of once a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need redis-server redis-benchmark redis-cli
[ "$form" != prepare ] || exit 0
port=16379
rm -rf "$folder/appendonlydir"
redis-server --port $port --bind 127.0.0.1 --save '' --appendonly yes --dir "$folder" \
  --appendfsync "$(in_form everysec always)" &
trap 'kill $!; wait' EXIT
wait_for redis-cli -p $port ping
timeout 2.5 redis-benchmark -p $port -t set -c 4 -r 10000 -l -q >/dev/null || [ $? = 124 ]
