#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A threaded server waits 6 ms in each request instead of 4 ms; two clients send requests without pauses."""

import socket
import socketserver
import threading
import time

from roles import arguments, run


def serve(listening, wait):
    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            for line in self.rfile:
                time.sleep(wait)
                self.wfile.write(line.upper())

    while True:
        connection, address = listening.accept()
        threading.Thread(target=Handler, args=(connection, address, None), daemon=True).start()


def ask(address):
    with socket.create_connection(address) as connection, connection.makefile("rwb") as file:
        while True:
            file.write(b"a question of some length\n")
            file.flush()
            if not file.readline():
                return


def main():
    slow, seconds = arguments()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = listening.getsockname()
        asking = [("asker", lambda: ask(address))] * 2
        run(seconds, [("answerer", lambda: serve(listening, 0.006 if slow else 0.004)), *asking])


if __name__ == "__main__":
    main()
