# SPDX-License-Identifier: BSD-2-Clause
"""A proxy before a ClickHouse server that does to each request what a bad day does."""

import http.client
import socketserver
import threading
import time


class Day:
    """What is done to the requests, in turn; after the last one all is well. The words:

    fine       asked and answered
    hints      the answer comes behind others that say that it will come
    chunked    the answer comes in pieces, and the connection is closed
    lost       asked, and not answered: the connection is closed
    cut        asked, and the answer stops in its middle
    late       answered with an error, and asked half a second later: a request that was given up arrives
    away       not asked, status 503 without a word
    refused    not asked, status 500 of the server with an error that does not pass
    gone       not asked, and not answered
    """

    def __init__(self, deeds):
        self.deeds = list(deeds)
        self.done = []
        self.threads = []
        self.lock = threading.Lock()

    def next(self):
        with self.lock:
            self.done.append(self.deeds.pop(0) if self.deeds else "fine")
            return self.done[-1]


def read_request(stream):
    """First line, header lines and body; None at the end of the connection."""
    first = stream.readline()
    if not first:
        return None
    headers = {}
    while (line := stream.readline().strip()):
        name, _, value = line.decode().partition(":")
        headers[name] = value.strip()
    return first.decode().split()[1], headers, stream.read(int(headers.get("Content-Length", 0)))


class Handler(socketserver.StreamRequestHandler):
    def handle(self):
        try:
            while self.serve_one():
                pass
        except OSError:
            pass

    def ask(self, target, headers, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=120)
        connection.request("POST", target, body, {name: text for name, text in headers.items() if name != "Host"})
        answer = connection.getresponse()
        said = answer.status, answer.read()
        connection.close()
        return said

    def say(self, status, body, before=b""):
        self.wfile.write(before + b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n\r\n" % (status, len(body)) + body)

    def serve_one(self):
        request = read_request(self.rfile)
        if request is None:
            return False
        target, headers, body = request
        deed = self.server.day.next() if self.server.is_counted(target, body) else "fine"
        if deed == "gone":
            return False
        if deed == "away":
            self.say(503, b"")
        elif deed == "refused":
            self.say(500, b"Code: 243, e.displayText() = DB::Exception: Cannot reserve 1.00 MiB, not enough space")
        elif deed == "late":
            late = threading.Thread(target=lambda: (time.sleep(0.5), self.ask(target, headers, body)))
            self.server.day.threads.append(late)
            late.start()
            return False
        else:
            status, said = self.ask(target, headers, body)
            if deed == "lost":
                return False
            if deed == "cut":
                self.wfile.write(b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n\r\n" % (status, len(said) + 1) + said)
                return False
            if deed == "chunked":
                pieces = b"".join(b"1;x=y\r\n%c\r\n" % byte for byte in said) + b"0\r\n\r\n"
                self.wfile.write(b"HTTP/1.1 %d Said\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                                 % status + pieces)
                return False
            self.say(status, said, b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"
                     if deed == "hints" else b"")
        return True


class Proxy(socketserver.ThreadingTCPServer):
    """Of requests alone for which `is_counted(target, body)` is true the day decides."""
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, behind, deeds, is_counted=lambda target, body: True):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind, self.day, self.is_counted = behind, Day(deeds), is_counted

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
        for thread in self.day.threads:
            thread.join()
