#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Two processes instead of four accept the connections of five clients, which pause for 1 ms."""

import socket
import time

from roles import arguments, run


def work(listening):
    while True:
        connection, _ = listening.accept()
        with connection:
            connection.recv(100)
            time.sleep(0.003)
            connection.sendall(b"done\n")


def visit(address):
    while True:
        with socket.create_connection(address) as connection:
            connection.sendall(b"please\n")
            connection.recv(100)
        time.sleep(0.001)


def main():
    slow, seconds = arguments()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
        run(seconds, [("worker", lambda: work(listening))] * (2 if slow else 4) +
            [("visitor", lambda: visit(address))] * 5)


if __name__ == "__main__":
    main()
