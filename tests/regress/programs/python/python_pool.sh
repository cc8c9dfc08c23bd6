#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two workers of a pool instead of four answer four clients over TCP; an answer waits 5 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3
[ "$form" != prepare ] || exit 0
python3 - "$(in_form 4 2)" <<'END' &
import socket, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
listener = socket.create_server(("127.0.0.1", 18641))
pool = ThreadPoolExecutor(int(sys.argv[1]))
def answer(connection):
    time.sleep(0.005)
    connection.sendall(b"y")
def serve(connection):
    while connection.recv(1):
        pool.submit(answer, connection)
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
END
server=$!
trap 'kill "$server"; wait' EXIT
wait_for python3 -c 'import socket; socket.create_connection(("127.0.0.1", 18641))'
perl -MIO::Socket::INET -MTime::HiRes=time,sleep -e '
  for (1 .. 4) { next if fork; 
    my $to = IO::Socket::INET->new(PeerAddr => "127.0.0.1:18641") or die;
    for (my $over = time + 2.2; time < $over;) { syswrite $to, "x"; sysread $to, my $got, 1; sleep 0.002 }
    exit }
  1 while wait > 0'
