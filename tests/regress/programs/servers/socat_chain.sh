#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Connections pass three relays instead of one.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need socat python3
[ "$form" != prepare ] || exit 0
relays=$(in_form 1 3)
port=18467
pids=
socat "TCP-LISTEN:$port,fork,reuseaddr,bind=127.0.0.1" EXEC:cat &
pids="$pids $!"
hop=0
while [ "$hop" -lt "$relays" ]; do
  socat "TCP-LISTEN:$((port + hop + 1)),fork,reuseaddr,bind=127.0.0.1,nodelay" \
    "TCP:127.0.0.1:$((port + hop)),nodelay" &
  pids="$pids $!"
  hop=$((hop + 1))
done
# shellcheck disable=SC2064,SC2086
trap "kill $pids; wait" EXIT
python3 -c '
import socket, sys, time
for _ in range(100):
    try:
        server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        server.sendall(b"x")
        if server.recv(1):
            break
    except OSError:
        pass
    time.sleep(0.05)
server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(500):
    server.sendall(b"x" * 100)
    got = 0
    while got < 100:
        got += len(server.recv(1000))
    time.sleep(0.004)
' "$((port + relays))"
