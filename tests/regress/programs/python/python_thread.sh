#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Python: a second thread of a server computes all the time, and holds the interpreter lock.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3
[ "$form" != prepare ] || exit 0
python3 -c '
import os, socket, sys, threading, time
over = time.monotonic() + 2.5
ours, theirs = socket.socketpair()
if os.fork() == 0:
    ours.close()
    with open("/proc/self/comm", "w") as name:
        name.write("asker")
    while time.monotonic() < over:
        time.sleep(0.005)
        theirs.send(b"?")
        theirs.recv(1)
    os._exit(0)
theirs.close()
def compute():
    x = 0
    while time.monotonic() < over:
        for i in range(1000):
            x += i % 7
if sys.argv[1] == "yes":
    threading.Thread(target=compute).start()
while ours.recv(1):
    sum(range(2000))
    ours.send(b"!")
' "$(in_form no yes)"
