#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# redis-server: another client sends a long command several times a second, and all others wait.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need redis-server redis-benchmark redis-cli
[ "$form" != prepare ] || exit 0
socket=$folder/redis.sock
redis-server --port 0 --unixsocket "$socket" --save '' --dir "$folder" &
server=$!
trap 'kill "$server"; wait' EXIT
wait_for redis-cli -s "$socket" ping
redis-cli -s "$socket" -r 20 -i 0.1 eval 'local x = 0 for i = 1, ARGV[1] do x = x + i % 7 end return x' 0 \
  "$(in_form 1000 3000000)" >/dev/null &
reports=$!
timeout 2.2 redis-benchmark -s "$socket" -t get -c 2 -P 1 -l -q >/dev/null || [ $? = 124 ]
wait "$reports"
