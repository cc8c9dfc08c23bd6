#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The program that perfetto_test.py records for waits: two processes answer each other by TCP, then one uses up the
quota of a cgroup. Its argument is the folder of the cgroup that it joins, or an empty text."""

import os
import socket
import sys
import time


def main():
    if sys.argv[1]:
        with open(os.path.join(sys.argv[1], "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(os.getpid()))
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    peer = listener.accept()[0] if child else socket.create_connection(listener.getsockname())
    for _ in range(100):
        if child:
            peer.send(b"question")
            peer.recv(8)
        else:
            peer.recv(8)
            time.sleep(0.0005)
            peer.send(b"answered")
    if child:
        os.waitpid(child, 0)
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            pass


if __name__ == "__main__":
    main()
