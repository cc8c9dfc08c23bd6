#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# beanstalkd syncs each job to the disk.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need beanstalkd python3
[ "$form" != prepare ] || exit 0
rm -rf "$folder/log"
mkdir "$folder/log"
socket=$folder/queue.sock
# shellcheck disable=SC2046
beanstalkd -l "unix:$socket" -b "$folder/log" $(in_form -F '-f 0') &
trap 'kill $!; wait' EXIT
python3 -c '
import socket, sys, time
for _ in range(100):
    try:
        server = socket.socket(socket.AF_UNIX)
        server.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.05)
for i in range(180):
    server.sendall(b"put 1 0 60 10\r\n0123456789\r\n")
    server.recv(100)
    time.sleep(0.01)
' "$socket"
