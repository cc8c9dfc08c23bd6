#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`fxt open`: the trace that it serves, the origins that get it, and the browser that it starts."""

import base64
import http.server
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request

import browser

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import FXT, fxt  # noqa: E402

# The magic record, and string records that fill the file.
MAGIC = bytes.fromhex("1000044678541600")
TRACE = MAGIC + b"".join(bytes([0x22, 0, 1 + i % 200, 0, 8, 0, 0, 0]) + b"abcdefgh" for i in range(30_000))
PERFETTO = "https://ui.perfetto.dev"


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>a page</title>")

    def log_message(self, *_):
        pass


def fetch(url, **headers):
    """Returns status, headers and body of a request."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=harness.DEADLINE_S) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, b""


class Opened:
    """A running `fxt open`."""

    def __init__(self, *words, **environment):
        variables = {name: value for name, value in os.environ.items()
                     if name not in ("DISPLAY", "WAYLAND_DISPLAY") and not name.startswith("SUDO_")}
        variables.update(environment)
        self.process = subprocess.Popen([FXT, "open", *words], env=variables, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.page = self.process.stdout.readline().strip()
        self.url = self.page.partition("url=")[2]
        self.ssh = self.process.stdout.readline().strip() if "--print" in words else ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def finish(self):
        """Waits for the end. Returns the exit status and the errors."""
        _, err = self.process.communicate(timeout=harness.DEADLINE_S)
        return self.process.returncode, err


class OpenTest(harness.FolderTest):
    def setUp(self):
        super().setUp()
        self.trace = self.write("my trace.fxt", TRACE)
        os.chmod(self.trace, 0o600)

    def fails(self, *words):
        done = harness.run(FXT, "open", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr


class Serving(OpenTest):
    def test_perfettos_page_gets_a_perfetto_trace(self):
        events = self.write("events.json", """[
            {"ph": "X", "name": "work", "pid": 5, "tid": 7, "ts": 1000, "dur": 500},
            {"ph": "C", "name": "queue", "pid": 5, "tid": 7, "ts": 1500, "args": {"length": 3}}]""")
        trace, exported = self.path("events.fxt"), self.path("events.pftrace")
        fxt("import", events, "-o", trace)
        fxt("export", "--format", "perfetto", trace, "-o", exported)
        with open(exported, "rb") as file:
            wanted = file.read()
        with Opened("--print", "--port", "0", trace) as opened:
            self.assertRegex(opened.page, r"/events\.fxt\.pftrace$")
            status, headers, body = fetch(opened.url, Origin=PERFETTO)
            self.assertEqual((status, int(headers["Content-Length"])), (200, len(wanted)))
            self.assertTrue(wanted and body == wanted)
            self.assertEqual(opened.finish()[0], 0)

    def test_a_damaged_trace_is_shown_up_to_the_damage(self):
        trace = self.write("damaged.fxt", TRACE + bytes(16))
        with Opened("--print", "--port", "0", trace) as opened:
            self.assertEqual(fetch(opened.url, Origin=PERFETTO)[0], 200)
            status, err = opened.finish()
        self.assertEqual(status, 0)
        self.assertIn("the viewer gets the records before it", err)

    def test_no_room_for_the_perfetto_trace(self):
        done = harness.run(FXT, "open", "--print", "--port", "0", self.trace,
                           env={**os.environ, "TMPDIR": os.path.join(self.folder, "none")})
        self.assertEqual(done.returncode, 2)
        self.assertIn("TMPDIR", done.stderr)

    def test_the_viewers_page_gets_the_trace_once(self):
        with Opened("--print", "--port", "0", "--as-is", self.trace) as opened:
            self.assertRegex(opened.page, rf"^{PERFETTO}/#!/\?url=http://127\.0\.0\.1:\d+/[0-9a-f]{{32}}/my_trace\.fxt$")
            for headers in ({}, {"Origin": "https://evil.example"}, {"Origin": PERFETTO, "Host": "evil.example"}):
                self.assertEqual(fetch(opened.url, **headers)[0], 403)
            base = opened.url[:opened.url.index("/", 8)]
            for path in ("/", "/my_trace.fxt", self.trace.replace(" ", "%20"), "/etc/passwd"):
                self.assertEqual(fetch(base + path, Origin=PERFETTO)[0], 404)
            status, headers, body = fetch(opened.url, Origin=PERFETTO)
            self.assertEqual((status, headers["Access-Control-Allow-Origin"]), (200, PERFETTO))
            self.assertTrue(body == TRACE)
            self.assertEqual(opened.finish()[0], 0)
            port = base.rpartition(":")[2]
            self.assertRegex(opened.ssh, rf"ssh -N -L {port}:127\.0\.0\.1:{port} \S+")

    def test_addresses_are_not_guessed(self):
        with Opened("--print", "--port", "0", self.trace) as one, Opened("--print", "--port", "0", self.trace) as two:
            self.assertNotEqual(one.url.split("/")[3], two.url.split("/")[3])

    def test_a_port_that_is_used(self):
        with Opened("--print", "--port", "0", self.trace) as opened:
            port = opened.url.split(":")[2].split("/")[0]
            self.assertIn(f"port {port} of 127.0.0.1 is used", self.fails("--print", "--port", port, self.trace))

    def test_no_request_before_the_timeout(self):
        with Opened("--print", "--port", "0", "--timeout", "50ms", self.trace) as opened:
            status, err = opened.finish()
        self.assertEqual(status, 2)
        self.assertIn("no viewer loaded", err)

    def test_interrupt(self):
        with Opened("--print", "--port", "0", self.trace) as opened:
            self.assertEqual(fetch(opened.url)[0], 403)
            opened.process.send_signal(signal.SIGINT)
            self.assertEqual(opened.finish()[0], -signal.SIGINT)

    def test_inputs_that_cannot_be_opened(self):
        self.assertIn("unknown viewer", self.fails("--viewer", "no-such", self.trace))
        self.assertIn("is not the address", self.fails("--viewer-url", "file:///", self.trace))
        self.assertIn("cannot open", self.fails(os.path.join(self.folder, "none.fxt")))
        self.fails("/etc/passwd")
        self.fails("--as-is", "/etc/passwd")
        self.assertIn("--as-is", self.fails("--as-is", "--viewer", "speedscope", self.trace))
        self.assertIn("no stacks", self.fails("--viewer", "speedscope", self.trace))
        self.assertIn("--of", self.fails("--of", "on", self.trace))
        self.assertIn("--of", self.fails("--of", "off", "--viewer", "perfetto", self.trace))


@unittest.skipUnless(os.geteuid() == 0, "changing the user needs root")
class Desktop(OpenTest):
    def test_the_browser_runs_as_the_calling_user(self):
        arguments = self.write("arguments", "")
        os.chmod(arguments, 0o666)
        program = os.path.join(self.folder, "xdg-open")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$(id -u) $HOME $1" >{arguments}\n')
        os.chmod(program, stat.S_IRWXU | 0o055)
        path = f"{self.folder}:{os.environ['PATH']}"
        with Opened("--port", "0", self.trace, PATH=path, DISPLAY=":77", SUDO_UID="65534", SUDO_GID="65534") as opened:
            self.assertTrue(opened.page.startswith(PERFETTO))
            while not (words := self.words_of(arguments)):
                self.assertIsNone(opened.process.poll())
                time.sleep(0.01)
            self.assertEqual(words[0], "65534")
            self.assertEqual(words[-1], opened.page)
        with Opened("--port", "0", self.trace, PATH=path, DISPLAY=":77") as opened:
            self.assertIn("no browser is started for root", opened.process.stderr.readline())
        with Opened("--port", "0", self.trace, PATH=path) as opened:
            self.assertIn("no display", opened.process.stderr.readline())

    @staticmethod
    def words_of(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        return text.split() if text.endswith("\n") else []


@unittest.skipUnless(browser.find(), "no Chromium (make deps DEPS=viewer)")
class Browser(OpenTest):
    def test_pages_of_the_viewers_origin_alone_get_it(self):
        pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        self.addCleanup(pages.server_close)
        self.addCleanup(pages.shutdown)
        port = pages.server_port
        viewer = f"http://127.0.0.1:{port}"
        with browser.Browser(browser.find()) as page, \
                Opened("--print", "--port", "0", "--as-is", "--viewer-url", viewer + "/", self.trace) as opened:
            self.assertTrue(opened.page.startswith(viewer + "/#!/?url=http://127.0.0.1:"))
            body = f"fetch('{opened.url}').then((answer) => answer.arrayBuffer())" \
                   ".then((bytes) => new Promise((done) => { const reader = new FileReader();" \
                   " reader.onload = () => done(reader.result); reader.readAsDataURL(new Blob([bytes])); }))" \
                   ".catch((error) => 'refused ' + error)"
            # Another name of the machine is another origin.
            for other in (f"http://localhost:{port}/", "data:text/html,a page"):
                page.open(other)
                page.wait_for(lambda one: one.evaluate("document.readyState") == "complete")
                self.assertIn("refused", page.evaluate(body))
                self.assertIsNone(opened.process.poll())
            page.open(opened.page)
            page.wait_for(lambda one: one.evaluate("document.readyState") == "complete")
            address = page.evaluate("location.hash.split('url=')[1]")
            self.assertEqual(address, opened.url)
            got = page.evaluate(body)
            self.assertTrue(base64.b64decode(got.partition("base64,")[2]) == TRACE, got[:80])
            self.assertEqual(opened.finish()[0], 0)


if __name__ == "__main__":
    harness.main()
