#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records the requests of unmodified servers, and compares them with a client that knows its requests (root, BTF).

Uses all servers that are installed. `make test` runs the tests that need Python alone.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, RECORDER, query, run  # noqa: E402

CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known_client.py")
REQUESTS = int(os.environ.get("REQUESTS_COUNT", "600"))
CONNECTIONS = 4
# No request may be lost on a busy machine.
BUFFER = ("-b", "32M")
# Time that the client's clock adds to the calls, without preemption.
SLACK_NS = 100_000


def setUpModule():
    harness.skip_unless_recordable()
    missing = run(RECORDER, "--list-categories").stdout
    line = next(line for line in missing.splitlines() if line.split()[:1] == ["request"])
    if "no tracepoint" in line:
        harness.skip(f"this kernel cannot record requests: {line}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_listening(address):
    try:
        if address.startswith("/"):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(address)
        else:
            host, port = address.rsplit(":", 1)
            socket.create_connection((host, int(port)), 1).close()
        return True
    except OSError:
        return False


PYTHON_SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    def do_GET(self):
        body = b"hello"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

SHARED_CONNECTION = """
import queue, socket, sys, threading
port, count = int(sys.argv[1]), int(sys.argv[2])
listener = socket.socket()
listener.bind(("127.0.0.1", port))
listener.listen(0)
def serve():
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    jobs = queue.Queue()
    def answer():
        while jobs.get():
            connection.sendall(b"answer!!")
    pool = [threading.Thread(target=answer) for _ in range(3)]
    for thread in pool:
        thread.start()
    while connection.recv(100):
        jobs.put(True)
    for _ in pool:
        jobs.put(False)
threading.Thread(target=serve).start()
client = socket.create_connection(("127.0.0.1", port))
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
answered = threading.Semaphore(0)
def receive():
    for _ in range(count):
        client.recv(8, socket.MSG_WAITALL)
        answered.release()
receiver = threading.Thread(target=receive)
receiver.start()
for _ in range(count):
    client.sendall(b"ask")
    answered.acquire()
receiver.join()
client.close()
"""

PIPELINES = """
import socket, sys
client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(20):
    client.sendall(3 * b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
    answer = b""
    while answer.count(b"hello") < 3:
        answer += client.recv(65536)
"""

CLOSES = """
import socket, sys
listener = socket.socket()
listener.bind(("127.0.0.1", int(sys.argv[1])))
listener.listen(1)
client = socket.create_connection(listener.getsockname())
server, _ = listener.accept()
client.sendall(b"ask")
server.recv(100)
server.close()
client.recv(100)
client.close()
"""

NODE_SERVER = """
require('http').createServer((request, response) => response.end('hello')).listen(+process.argv[1], '127.0.0.1')
"""

SLEEPS = """
import http.server, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536
    requests = 0
    def do_GET(self):
        Handler.requests += 1
        if Handler.requests % 20 == 0:
            time.sleep(0.05)
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off; keepalive_requests 1000000; client_body_temp_path {folder}; proxy_temp_path {folder};
  fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen {port}; location / {{ {action} }} }}
}}
"""

HAPROXY = """
global
  stats socket {folder}/haproxy.sock
defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
frontend front
  bind 127.0.0.1:{port}
  default_backend back
backend back
  server nginx 127.0.0.1:{upstream}
"""


# Reads the first byte of each later request of a connection by itself, as Go's HTTP server may do.
FIRST_BYTE_SERVER = """
import socket, sys, threading

def serve(connection):
    first = 4096
    while request := connection.recv(first):
        first = 1
        while not request.endswith(b"\\r\\n\\r\\n"):
            request += connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")

listening = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()
"""


class RequestsTest(harness.FolderTest):
    def start(self, command, address, **more):
        log = open(self.path(f"server-{len(os.listdir(self.folder))}.log"), "wb")
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **more)

        def stop():
            server.send_signal(signal.SIGINT)
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
            log.close()

        self.addCleanup(stop)
        self.assertTrue(harness.eventually(lambda: server.poll() is not None or is_listening(address)))
        self.assertIsNone(server.poll(), harness.run("cat", log.name).stdout)

    def need(self, program):
        found = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/bin")
        if not found:
            print(f"SKIPPED: {program} is not installed", file=sys.stderr)
            self.skipTest(f"{program} is not installed")
        return found

    def record(self, protocol, address, options=(), count=REQUESTS):
        """Records the client. Returns the trace and the client's (port, begin, end, name)."""
        trace = self.trace = self.path("requests.fxt")
        done = run(RECORDER, "-q", "--requests", *BUFFER, *options, "-o", trace, "--", sys.executable, CLIENT, protocol, address,
                   str(CONNECTIONS), str(count), ok=(0,))
        self.assertNotIn("lost", done.stderr)
        lines = [line.split(" ", 3) for line in done.stdout.splitlines()]
        known = [(int(port), int(begin), int(end), name) for port, begin, end, name in lines]
        self.assertEqual(len(known), count)
        return trace, known

    @staticmethod
    def spans(trace, *ports):
        """(name, begin, end, arguments) of each request of these servers, in order of begins: other programs have
        requests, too."""
        rows = query(trace, "SELECT name, ts, dur, args, tid FROM requests WHERE args LIKE '%\"side\":%' ORDER BY ts")
        spans = [(name, ts, ts + dur, dict(json.loads(args), tid=tid)) for name, ts, dur, args, tid in rows]
        return [span for span in spans
                if not ports or re.search(rf":({'|'.join(map(str, ports))})\b", span[3]["connection"])]

    def time_off_cpu(self, intervals):
        """Returns the time in ns that a thread waited in each of [(tid, begin, end)]."""
        waits = {}
        for tid, begin, length in query(self.trace, "SELECT tid, ts, length FROM waits WHERE tid IN (SELECT tid FROM requests)"):
            waits.setdefault(tid, []).append((begin, begin + length))
        return [sum(max(0, min(end, until) - max(begin, since)) for since, until in waits.get(tid, []))
                for tid, begin, end in intervals]

    def check(self, spans, known, names=None):
        """Each of the client's requests has one span of the client inside, and one of the server inside of that."""
        clients, servers = [], []
        for name, begin, end, args in spans:
            self.assertNotIn("unanswered", args, (name, args))
            (clients if args["side"] == "client" else servers).append((begin, end, name, args))
        self.assertEqual(len(clients), len(known))
        self.assertEqual(len(servers), len(known))

        def port_of(args, end):
            found = re.search(r":(\d+) -> .*:(\d+)$", args["connection"])
            return int(found[end]) if found else 0

        def order(spans, end):
            return sorted(spans, key=lambda span: (port_of(span[3], end), span[0]))

        differences, shares, outside = [], [], []
        if all(port == 0 for port, _, _, _ in known):
            # Unix sockets have no port to tell connections apart.
            self.assertEqual(CONNECTIONS, 1)
        for (_, begin, end, expected), client, server in zip(
                sorted(known), order(clients, 1), order(servers, 2)):
            self.assertLessEqual(begin, client[0])
            self.assertLessEqual(client[1], end)
            self.assertLessEqual(client[0], server[0], (client, server))
            self.assertLessEqual(server[1], client[1], (client, server))
            if names:
                self.assertEqual(server[2], expected)
            differences.append((end - begin) - (client[1] - client[0]))
            outside += [(client[3]["tid"], begin, client[0]), (client[3]["tid"], client[1], end)]
            shares.append(max(0.05 * (end - begin), SLACK_NS))
            self.assertGreater(server[3]["bytes_in"], 0)
            self.assertGreater(client[3]["bytes_in"], 0)
            self.assertEqual(client[3]["bytes_out"], server[3]["bytes_in"])
        own = sorted(end - begin for _, begin, end, _ in known)
        shown = sorted(end - begin for begin, end, _, _ in clients)
        at_server = sorted(end - begin for begin, end, _, _ in servers)
        for quantile in (0.5, 0.99):
            at = int(quantile * (len(own) - 1))
            print(f"{self.id().rsplit('.', 1)[1]} p{quantile * 100:g}: client's clock {own[at] / 1e3:.1f} us, client's span "
                  f"{shown[at] / 1e3:.1f} us, server's span {at_server[at] / 1e3:.1f} us", file=sys.stderr)
        # Between its clock and its call the client may be preempted, or wait for another of its threads.
        away = self.time_off_cpu(outside)
        within = sum(difference - sum(away[2 * i:2 * i + 2]) <= share
                     for i, (difference, share) in enumerate(zip(differences, shares)))
        self.assertGreaterEqual(within, 0.5 * len(differences))

    def start_nginx(self, port, action="return 200 hello;"):
        text = NGINX.format(folder=self.folder, port=f"127.0.0.1:{port}", action=action)
        config = self.write(f"nginx-{port}.conf", text)
        self.start([self.need("nginx"), "-c", config, "-p", self.folder], f"127.0.0.1:{port}")

    def test_python(self):
        self.need("python3")
        port = free_port()
        self.start([sys.executable, "-c", PYTHON_SERVER, str(port)], f"127.0.0.1:{port}")
        trace, known = self.record("http", f"127.0.0.1:{port}", ("--request-names", "http"))
        spans = self.spans(trace, port)
        self.check(spans, known, names=True)
        clients = {name for name, _, _, args in spans if args["side"] == "client"}
        self.assertEqual(clients, {f"to :{port}"})
        # The tools that need no table.
        requests = json.loads(harness.fxt("path", trace, "--span", "request", "--json"))["requests"]
        self.assertGreaterEqual(len(requests), 2 * len(known))
        for request in requests:
            self.assertEqual(sum(part["ns"] for part in request["parts"]), request["dur"])
        harness.fxt("check", trace)
        # Without --request-names no byte of a request is in the file.
        trace, known = self.record("http", f"127.0.0.1:{port}")
        with open(trace, "rb") as file:
            self.assertNotIn(b"items", file.read())
        self.assertEqual({name for name, _, _, args in self.spans(trace, port)
                          if args["side"] == "server"}, {f":{port}"})

    def test_requests_whose_first_byte_is_read_alone_have_their_names(self):
        self.need("python3")
        port = free_port()
        self.start([sys.executable, "-c", FIRST_BYTE_SERVER, str(port)], f"127.0.0.1:{port}")
        trace, known = self.record("http", f"127.0.0.1:{port}", ("--request-names", "http"))
        self.check(self.spans(trace, port), known, names=True)
        harness.fxt("check", trace)

    def test_peers_are_known(self):
        self.need("python3")
        port = free_port()
        self.start([sys.executable, "-c", PYTHON_SERVER, str(port)], f"127.0.0.1:{port}")
        trace, _ = self.record("http", f"127.0.0.1:{port}", count=40)
        pids = query(trace, f"SELECT args, pid FROM requests WHERE args LIKE '%:{port}%'")
        peers = {(json.loads(args)["side"], json.loads(args)["peer_pid"], pid) for args, pid in pids}
        self.assertEqual(len(peers), 2)
        (_, server_peer, client), (_, client_peer, server) = sorted(peers)
        self.assertEqual((server_peer, client_peer), (server, client))

    def test_threads_share_connections(self):
        """A client that receives on another thread than it sends, a server that answers from a pool; listen(0)."""
        self.need("python3")
        port, trace = free_port(), self.path("threads.fxt")
        run(RECORDER, "-q", "--requests", *BUFFER, "-o", trace, "--", sys.executable, "-c", SHARED_CONNECTION, str(port), "500", ok=(0,))
        spans = self.spans(trace, port)
        for side in ("client", "server"):
            own = [args for _, _, _, args in spans if args["side"] == side]
            self.assertEqual(len(own), 500)
            self.assertFalse(any("unanswered" in args for args in own))

    def test_a_pipelined_batch_is_one_request(self):
        self.need("python3")
        port, trace = free_port(), self.path("batch.fxt")
        self.start([sys.executable, "-c", PYTHON_SERVER, str(port)], f"127.0.0.1:{port}")
        run(RECORDER, "-q", "--requests", *BUFFER, "--request-names", "http", "-o", trace, "--", sys.executable, "-c", PIPELINES,
            str(port), ok=(0,))
        clients = [span for span in self.spans(trace, port) if span[3]["side"] == "client"]
        self.assertEqual(len(clients), 20)
        servers = [span[3] for span in self.spans(trace, port) if span[3]["side"] == "server"]
        self.assertTrue(any(args.get("pipelined") for args in servers))

    def test_requests_without_an_answer_end(self):
        self.need("python3")
        port, trace = free_port(), self.path("closed.fxt")
        run(RECORDER, "-q", "--requests", *BUFFER, "-o", trace, "--", sys.executable, "-c", CLOSES, str(port), ok=(0,))
        spans = self.spans(trace, port)
        self.assertEqual([args["unanswered"] for _, _, _, args in spans], ["closed", "closed"])

    def test_redis(self):
        program = self.need("redis-server")
        port = free_port()
        self.start([program, "--port", str(port), "--save", "", "--dir", self.folder], f"127.0.0.1:{port}")
        trace, known = self.record("redis", f"127.0.0.1:{port}", ("--request-names", "redis"))
        self.check(self.spans(trace, port), known, names=True)

    def test_redis_on_a_unix_socket(self):
        program = self.need("redis-server")
        path = self.path("redis.sock")
        self.start([program, "--port", "0", "--unixsocket", path, "--save", "", "--dir", self.folder], path)
        globals()["CONNECTIONS"] = 1
        self.addCleanup(lambda: globals().update(CONNECTIONS=4))
        trace, known = self.record("redis", path)
        spans = self.spans(trace)
        self.check([span for span in spans if path in span[0]], known)
        self.assertEqual({name for name, _, _, _ in spans if path in name}, {path, f"to {path}"})

    def test_nginx(self):
        port = free_port()
        self.start_nginx(port)
        trace, known = self.record("http", f"127.0.0.1:{port}", ("--request-names", "http,redis"))
        self.check(self.spans(trace, port), known, names=True)

    def test_the_path_goes_through_nginx_to_its_upstream(self):
        """A client, nginx, and a Python server that sleeps in every twentieth request: none of them knows of us."""
        front, upstream, count = free_port(), free_port(), 200
        self.start([sys.executable, "-c", SLEEPS, str(upstream)], f"127.0.0.1:{upstream}")
        self.start_nginx(front, f"proxy_pass http://127.0.0.1:{upstream}; proxy_http_version 1.1; "
                                "proxy_set_header Connection '';")
        trace = self.path("walk.fxt")
        run(RECORDER, "-q", "-c", "default,syscall,wait,request", *BUFFER, "-o", trace, "--", sys.executable, CLIENT, "http",
            f"127.0.0.1:{front}", "1", str(count), ok=(0,))
        for span in (f"to :{front}", f"request/:{front}", f"to :{upstream}", f":{upstream}"):
            requests = json.loads(harness.fxt("path", trace, "--span", span, "--json"))["requests"]
            self.assertEqual(len(requests), count, span)
            # If nginx waits for a CPU meanwhile, the first part of the sleep is not on the path.
            sleepers = [request for request in requests
                        if any(part["kind"] == "timer" and part["ns"] > 5_000_000 and part["waited_for"] == "clock_nanosleep"
                               for part in request["parts"])]
            self.assertLessEqual(len(sleepers), count // 20, span)
            self.assertGreaterEqual(len(sleepers), 0.7 * (count // 20), span)

    def test_memcached(self):
        program = self.need("memcached")
        port = free_port()
        self.start([program, "-l", "127.0.0.1", "-p", str(port), "-u", "root"], f"127.0.0.1:{port}")
        trace, known = self.record("memcached", f"127.0.0.1:{port}")
        self.check(self.spans(trace, port), known)

    def test_node(self):
        program = self.need("node")
        port = free_port()
        self.start([program, "-e", NODE_SERVER, str(port)], f"127.0.0.1:{port}")
        trace, known = self.record("http", f"127.0.0.1:{port}", ("--request-names", "http"))
        self.check(self.spans(trace, port), known, names=True)

    def test_haproxy_before_nginx(self):
        program = self.need("haproxy")
        front, upstream = free_port(), free_port()
        self.start_nginx(upstream)
        config = self.write("haproxy.cfg", HAPROXY.format(folder=self.folder, port=front, upstream=upstream))
        self.start([program, "-db", "-f", config], f"127.0.0.1:{front}")
        trace, known = self.record("http", f"127.0.0.1:{front}", ("--request-names", "http"))
        spans = self.spans(trace, front, upstream)
        outer = [span for span in spans if re.search(rf":{front}\b", span[3]["connection"])]
        inner = [span for span in spans if re.search(rf":{upstream}\b", span[3]["connection"])]
        self.check(outer, known, names=True)
        self.assertEqual(len(inner), 2 * len(known))
        # Each request to nginx is inside of one to haproxy.
        fronts = sorted((begin, end) for _, begin, end, args in outer if args["side"] == "server")
        for _, begin, end, _ in inner:
            self.assertTrue(any(first <= begin and end <= last for first, last in fronts), (begin, end))

    def test_postgres(self):
        folders = sorted(os.path.join("/usr/lib/postgresql", name, "bin") for name in
                         (os.listdir("/usr/lib/postgresql") if os.path.isdir("/usr/lib/postgresql") else ()))
        if not folders or os.geteuid() != 0:
            print("SKIPPED: PostgreSQL is not installed", file=sys.stderr)
            self.skipTest("PostgreSQL is not installed")
        data, port = self.path("data"), free_port()
        os.mkdir(data)
        shutil.chown(data, "postgres")
        run(os.path.join(folders[-1], "initdb"), "-D", data, "-A", "trust", "-N", user="postgres", cwd=data, ok=(0,))
        self.start([os.path.join(folders[-1], "postgres"), "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", data],
                   f"127.0.0.1:{port}", user="postgres", cwd=data)
        trace, known = self.record("postgres", f"127.0.0.1:{port}", ("--request-names", "postgres"))
        self.check(self.spans(trace, port), known, names=True)


if __name__ == "__main__":
    harness.main()
