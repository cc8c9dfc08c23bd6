#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# redis-server forks and writes its whole data set repeatedly (save 1 1).
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need redis-server redis-benchmark redis-cli
[ "$form" != prepare ] || exit 0
socket=$folder/redis.sock
rm -f "$folder/dump.rdb"
redis-server --port 0 --unixsocket "$socket" --save "$(in_form '' '1 1')" --dir "$folder" &
trap 'kill $!; wait' EXIT
wait_for redis-cli -s "$socket" ping
redis-cli -s "$socket" debug populate 100000 >/dev/null || :
timeout 2.5 redis-benchmark -s "$socket" -t set -c 2 -r 100000 -d 100 -l -q >/dev/null || [ $? = 124 ]
