#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A client that knows its requests: one line per request with its begin, its end (ns of CLOCK_BOOTTIME) and its name.

known_client.py PROTOCOL ADDRESS CONNECTIONS REQUESTS      ADDRESS is HOST:PORT or the path of a Unix socket
"""

import socket
import struct
import sys
import threading
import time


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Connection:
    def __init__(self, address):
        if address.startswith("/"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address)
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = []

    def exchange(self, name, request, is_whole):
        """Sends a request and receives until the answer is whole. The answer to it."""
        begin = now()
        self.socket.sendall(request)
        answer = self.socket.recv(65536)
        end = now()
        self.lines.append(f"{begin} {end} {name}")
        while not is_whole(answer):
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError(f"{name}: {answer[:200]!r}")
            answer += more
        return answer


def http_is_whole(answer):
    head, found, body = answer.partition(b"\r\n\r\n")
    length = [int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return bool(found) and len(body) >= (length[0] if length else 0)


def http(connection, count):
    for number in range(count):
        path = ("/", "/index.html?secret=1", f"/items/{1000 + number}")[number % 3]
        name = ("GET /", "GET /index.html", "GET /items/{id}")[number % 3]
        connection.exchange(name, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(), http_is_whole)


def redis(connection, count):
    for number in range(count):
        words = ((b"SET", b"secret", b"value"), (b"GET", b"secret"), (b"INCR", b"n"))[number % 3]
        request = b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
        connection.exchange(words[0].decode(), request, lambda answer: answer.endswith(b"\r\n"))


def memcached(connection, count):
    for number in range(count):
        request = (b"set k 0 0 1\r\nx\r\n", b"get k\r\n")[number % 2]
        connection.exchange("", request, lambda answer: answer.endswith((b"STORED\r\n", b"END\r\n")))


def postgres(connection, count):
    def ready(answer):
        at = 0
        while len(answer) >= at + 5:
            kind, length = answer[at:at + 1], struct.unpack_from(">I", answer, at + 1)[0]
            if kind == b"E":
                raise ConnectionError(f"{answer!r}")
            if kind == b"Z":
                return True
            at += 1 + length
        return False

    body = struct.pack(">I", 3 << 16) + b"user\0postgres\0database\0postgres\0\0"
    connection.exchange("startup", struct.pack(">I", len(body) + 4) + body, ready)
    for number in range(count - 1):
        sql = (b"select 4711\0", b"/* secret */ show server_version\0")[number % 2]
        name = ("SELECT", "SHOW")[number % 2]
        connection.exchange(name, b"Q" + struct.pack(">I", len(sql) + 4) + sql, ready)


def main():
    protocol, address, connections, requests = sys.argv[1:]
    all_connections = [Connection(address) for _ in range(int(connections))]
    each = int(requests) // len(all_connections)
    threads = [threading.Thread(target=globals()[protocol], args=(connection, each)) for connection in all_connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for connection in all_connections:
        name = connection.socket.getsockname()
        port = name[1] if isinstance(name, tuple) else 0
        for line in connection.lines:
            print(port, line)


main()
