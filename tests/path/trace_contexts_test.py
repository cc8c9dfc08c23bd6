#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records a program whose threads publish trace contexts (OpenTelemetry's proposal 4947), and holds the ids of its requests
against those that it logged (root, BTF, x86-64, a C compiler).

    trace_contexts_test.py
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import RECORDER, query, run  # noqa: E402

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "traced")
CONNECTIONS, REQUESTS = 4, 250
# Of the requests before which a library is opened, or a process made, while it is recorded. More where the recorder is not
# soon enough for the first, on a busy machine.
LATE_REQUESTS, LATE_KNOWN = (300, 1000, 3000), 20


def setUpModule():
    if platform.machine() != "x86_64":
        harness.skip("trace contexts are read on x86-64")
    if not shutil.which("gcc"):
        harness.skip("there is no gcc")
    harness.skip_unless_recordable()
    line = next(line for line in run(RECORDER, "--list-categories").stdout.splitlines() if line.split()[:1] == ["request"])
    if "no tracepoint" in line:
        harness.skip(f"this kernel cannot record requests: {line}")


class TraceContexts(harness.FolderTest):
    def build(self, name, *sources, compiler="gcc", options=()):
        output = self.path(name)
        run(compiler, "-O2", *options, "-o", output, *(os.path.join(SOURCES, source) for source in sources),
            "-lpthread", ok=(0,))
        return output

    def library(self, dialect, *options, compiler="gcc"):
        return self.build(f"lib{len(os.listdir(self.folder))}.so", "context.c", compiler=compiler,
                          options=("-fPIC", "-shared", f"-mtls-dialect={dialect}", *options))

    def record(self, program, library="-", requests=REQUESTS, how=(), options=()):
        """Returns the ids that the program logged and those of the trace: {(side, port): [(trace, span), ...]}."""
        trace, fifos = self.path("trace.fxt"), [self.path("go"), self.path("done")]
        for fifo in fifos:
            if os.path.exists(fifo):
                os.unlink(fifo)
            os.mkfifo(fifo)
        with open(self.path("log"), "w+", encoding="ascii") as log:
            traced = subprocess.Popen([program, library, str(CONNECTIONS), str(requests), *fifos, *how], stdout=log)
        self.addCleanup(traced.kill)
        run(RECORDER, "-q", "--requests", "-b", "32M", *options, "-o", trace, "--", "sh", "-c", f"echo > {fifos[0]}; cat {fifos[1]}", ok=(0,))
        self.assertEqual(traced.wait(harness.DEADLINE_S), 0)
        with open(self.path("log"), encoding="ascii") as log:
            out = log.read()
        logged, recorded = {}, {}
        for line in out.splitlines():
            if line.startswith("present"):
                self.assertEqual(line, "present 0")
                continue
            side, port, number, *ids = line.split()
            requests_of_side = logged.setdefault((side, int(port)), [])
            self.assertEqual(int(number), len(requests_of_side))
            requests_of_side.append(tuple(None if one == "-" else one for one in ids))
        for trace_id, args in query(trace, "SELECT trace_id, args FROM requests WHERE args LIKE '%\"side\":%' ORDER BY ts"):
            args = json.loads(args)
            self.assertEqual(args.get("trace_id"), trace_id)
            ports = [int(port) for port in re.findall(r":(\d+)\b", args["connection"])]
            if not ports:  # another program's, on a socket of another family
                continue
            key = (args["side"], ports[0] if args["side"] == "client" else ports[-1])
            if key in logged:
                recorded.setdefault(key, []).append((trace_id, args.get("span_id")))
        self.trace = trace
        return logged, recorded

    def check(self, *arguments, **more):
        logged, recorded = self.record(*arguments, **more)
        self.assertEqual(sum(map(len, logged.values())), 2 * CONNECTIONS * REQUESTS)
        self.assertEqual(recorded, logged)
        known = [ids for side in logged.values() for ids in side if ids[0]]
        self.assertGreater(len(known), 0.4 * 2 * CONNECTIONS * REQUESTS)
        return known

    def test_of_an_executable(self):
        known = self.check(self.build("traced", "traced.c", "context.c", options=("-rdynamic",)))
        # The tool that needs no table.
        requests = json.loads(harness.fxt("path", self.trace, "--span", "request", "--json"))["requests"]
        found = [request["trace_id"] for request in requests if "trace_id" in request]
        self.assertEqual(sorted(found), sorted(trace for trace, _ in known))
        harness.fxt("check", self.trace)

    def test_of_an_executable_without_relocation(self):
        self.check(self.build("traced", "traced.c", "context.c", options=("-rdynamic", "-no-pie", "-fno-pie")))

    def test_of_a_static_executable(self):
        self.check(self.build("traced", "traced.c", "context.c", options=("-Wl,--export-dynamic-symbol=otel_thread_ctx_v1", "-static-pie")))

    def test_of_a_library_of_the_start(self):
        for dialect in ("gnu", "gnu2"):
            for model in ("global-dynamic", "initial-exec", "local-dynamic"):
                with self.subTest(dialect, model=model):
                    library = self.library(dialect, f"-ftls-model={model}")
                    self.check(self.build("traced", "traced.c", options=("-Wl,--no-as-needed", library, f"-Wl,-rpath,{self.folder}")))

    def test_of_a_library_that_is_opened(self):
        program = self.build("traced", "traced.c", options=("-ldl",))
        for dialect in ("gnu", "gnu2"):
            # Large blocks have no room among those of the start.
            for options in ((), ("-Dkilobytes=64",), ("-Wl,-Bsymbolic",)):
                with self.subTest(dialect, options=options):
                    self.check(program, self.library(dialect, *options))

    def test_of_musl(self):
        if not shutil.which("musl-gcc"):
            self.skipTest("there is no musl-gcc")
        program = self.build("traced", "traced.c", compiler="musl-gcc")
        for dialect in ("gnu", "gnu2"):
            with self.subTest(dialect):
                self.check(program, self.library(dialect, compiler="musl-gcc"))
        self.check(self.build("traced", "traced.c", "context.c", compiler="musl-gcc", options=("-rdynamic",)))

    def check_late(self, how, options=()):
        """Whatever happens while it is recorded is known soon after."""
        program, library = self.build("traced", "traced.c", options=("-ldl",)), self.library("gnu2", "-Dkilobytes=64")
        for requests in LATE_REQUESTS:
            logged, recorded = self.record(program, library, requests, (how,), options)
            self.assertEqual(set(recorded), set(logged))
            for side, ids in logged.items():
                self.assertEqual(len(recorded[side]), requests)
                # Earlier requests have no ids, and never wrong ones.
                for one, other in zip(recorded[side], ids):
                    self.assertIn(one, (other, (None, None)))
            if all(recorded[side][-LATE_KNOWN:] == ids[-LATE_KNOWN:] for side, ids in logged.items()):
                return
        self.fail(f"the last of {requests} requests are not known")

    def test_of_a_library_that_is_opened_while_recorded(self):
        self.check_late("late")

    def test_of_a_child_that_is_made_while_recorded(self):
        self.check_late("fork")

    def test_with_names_of_requests(self):
        program = self.build("traced", "traced.c", "context.c", options=("-rdynamic",))
        self.check(program, options=("--request-names", "http"))


if __name__ == "__main__":
    harness.main()
