#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Another client runs a script of some ms in redis every 20 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need redis-server redis-benchmark redis-cli
port=18713
[ "$form" != prepare ] || exit 0
redis-server --port "$port" --save '' --dir "$folder" >/dev/null &
server=$!
trap 'kill "$server" $! 2>/dev/null || :; wait' EXIT
wait_for redis-cli -p "$port" ping
redis-cli -p "$port" -r 100 -i 0.02 EVAL 'local x = 0 for i = 1, tonumber(ARGV[1]) do x = x + i end return x' 0 \
  "$(in_form 100 500000)" >/dev/null &
redis-benchmark -p "$port" -c 4 -n 60000 -t get -q >/dev/null
