# SPDX-License-Identifier: BSD-2-Clause
"""A proxy in front of a ClickHouse server that fails in chosen ways."""

import http.client
import socketserver
import threading
import time


class Plan:
    """The action for each request in order. After the last action all requests succeed.

    fine       forwards the request and the answer
    hints      sends informational responses before the answer
    chunked    sends the answer in chunks and closes the connection
    lost       forwards the request and closes the connection without an answer
    cut        forwards the request and truncates the answer
    late       closes the connection and forwards the request half a second later
    away       answers with status 503 and an empty body
    refused    answers with status 500 and a permanent error of the server
    gone       closes the connection
    """

    def __init__(self, actions):
        self.actions = list(actions)
        self.done = []
        self.threads = []
        self.lock = threading.Lock()

    def next(self):
        with self.lock:
            self.done.append(self.actions.pop(0) if self.actions else "fine")
            return self.done[-1]


def read_request(stream):
    """Returns the target, the headers and the body. None: the connection ended."""
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
        action = self.server.plan.next() if self.server.is_counted(target, body) else "fine"
        if action == "gone":
            return False
        if action == "away":
            self.say(503, b"")
        elif action == "refused":
            self.say(500, b"Code: 243, e.displayText() = DB::Exception: Cannot reserve 1.00 MiB, not enough space")
        elif action == "late":
            late = threading.Thread(target=lambda: (time.sleep(0.5), self.ask(target, headers, body)))
            self.server.plan.threads.append(late)
            late.start()
            return False
        else:
            status, said = self.ask(target, headers, body)
            if action == "lost":
                return False
            if action == "cut":
                self.wfile.write(b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n\r\n" % (status, len(said) + 1) + said)
                return False
            if action == "chunked":
                pieces = b"".join(b"1;x=y\r\n%c\r\n" % byte for byte in said) + b"0\r\n\r\n"
                self.wfile.write(b"HTTP/1.1 %d Said\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                                 % status + pieces)
                return False
            self.say(status, said, b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"
                     if action == "hints" else b"")
        return True


class Proxy(socketserver.ThreadingTCPServer):
    """Applies the plan to the requests for which `is_counted(target, body)` is true."""
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, behind, actions, is_counted=lambda target, body: True):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind, self.plan, self.is_counted = behind, Plan(actions), is_counted

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
        for thread in self.plan.threads:
            thread.join()
