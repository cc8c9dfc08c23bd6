#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A client of memcached requests forty keys one by one instead of in one request.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need memcached python3
[ "$form" != prepare ] || exit 0
socket=$folder/memcached.sock
memcached -u "$(id -un)" -s "$socket" -t 2 &
trap 'kill $!; wait' EXIT
python3 -c '
import socket, sys, time
path, together = sys.argv[1], sys.argv[2] == "yes"
for _ in range(100):
    try:
        server = socket.socket(socket.AF_UNIX)
        server.connect(path)
        break
    except OSError:
        time.sleep(0.05)
keys = [f"key{i}".encode() for i in range(40)]
for key in keys:
    server.sendall(b"set " + key + b" 0 0 3\r\nabc\r\n")
    server.recv(4096)
def ask(some):
    server.sendall(b"get " + b" ".join(some) + b"\r\n")
    answer = b""
    while not answer.endswith(b"END\r\n"):
        answer += server.recv(65536)
for _ in range(220):
    if together:
        ask(keys)
    else:
        for key in keys:
            ask([key])
    time.sleep(0.01)
' "$socket" "$(in_form yes no)"
