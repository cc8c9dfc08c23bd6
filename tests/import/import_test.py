#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`fxt import`, `fxt check` and `fxt json` with Trace Event JSON of other programs: random files with every phase, and files
of clang, Node.js, Chromium, ninja's compilers and perf.

FXT_IMPORT_ROUNDS is the number of random files."""

import collections
import gzip
import json
import os
import random
import re
import shutil
import sys
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in (".", "../support")]
import harness  # noqa: E402
import trace_event_maker as maker  # noqa: E402

ROUNDS = int(os.environ.get("FXT_IMPORT_ROUNDS", "100"))
SOURCE = "#include <map>\n#include <string>\nint {name}() {{ return std::map<std::string, int>{{}}.size() + {number}; }}\n"


def program(*names):
    found = next(filter(None, map(shutil.which, names)), None)
    if not found:
        raise unittest.SkipTest(f"no {names[0]}")
    return found


class Files(harness.FolderTest):
    def execute(self, *command, ok=(0,)):
        return harness.run(*command, cwd=self.folder, ok=ok)

    def fxt(self, *words):
        return self.execute(harness.FXT, *words)

    def around(self, path):
        """Imports a file and converts it back. Returns the events and the messages of the import."""
        said = self.fxt("import", path, "-o", self.path("out.fxt")).stderr
        self.assertRegex(self.fxt("check", self.path("out.fxt")).stdout, r"\b0 errors, 0 warnings")
        return json.loads(self.fxt("json", self.path("out.fxt"), "-o", "-").stdout), said


class RandomFiles(Files):
    def test_events_come_back_unchanged(self):
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                document = maker.Maker(seed).make()
                text = json.dumps(document, ensure_ascii=seed % 2 == 0, indent=None if seed % 3 else 1)
                path = self.path("in.json")
                if seed % 4 == 1 and set(document) == {"traceEvents"}:
                    # An array without its closing bracket.
                    text = json.dumps(document["traceEvents"])[:-1] + "," * (seed % 8 // 4)
                if seed % 5 == 0:
                    path += ".gz"
                with (gzip.open if seed % 5 == 0 else open)(path, "wt", encoding="utf-8") as file:
                    file.write(text)
                after, said = self.around(path)
                self.assertEqual(maker.difference(document, after), "", said)
                self.assertNotIn("dropped", said)
                # `fxt import` reads the output of `fxt json`.
                with open(self.path("again.json"), "w", encoding="utf-8") as file:
                    json.dump(after, file)
                twice, _ = self.around(self.path("again.json"))
                self.assertEqual(maker.contents(after), maker.contents(twice))

    def test_truncated_files_are_read_to_their_end(self):
        for seed in range(ROUNDS // 4):
            with self.subTest(seed=seed):
                events = [event for event in maker.Maker(seed).make()["traceEvents"] if event["ph"] in "XCM"]
                text = "[" + ",\n".join(map(json.dumps, events)) + "]"
                cut = random.Random(seed).randrange(1, len(text) + 1)
                with open(self.path("in.json"), "w", encoding="utf-8") as file:
                    file.write(text[:cut])
                whole, at = [], 1
                for event in events:
                    at += len(json.dumps(event)) + (2 if whole else 0)
                    if at <= cut:
                        whole.append(event)
                after, said = self.around(self.path("in.json"))
                self.assertEqual(maker.difference(whole, after), "", said)


class TextOfFtrace(Files):
    TEXT = ("# tracer: nop\n"
            "  app-12 ( 10) [001] ...1 1.000000: tracing_mark_write: B|10|frame|of 60\n"
            "  app-12 ( 10) [001] ...1 1.000100: tracing_mark_write: C|10|queue|7\n"
            "  app-12 ( 10) [001] ...1 1.000150: tracing_mark_write: S|10|load|3\n"
            "  app-12 ( 10) [001] d..2 1.000200: sched_switch: prev_comm=app prev_pid=12 prev_prio=120 prev_state=S ==> "
            "next_comm=swapper/1 next_pid=0 next_prio=120\n"
            "  app-12 ( 10) [001] ...1 1.000300: print: E|10\n"
            "  app-12 ( 10) [001] ...1 1.000400: tracing_mark_write: F|10|load|3\n"
            "  app-12 ( 10) [001] ...1 1.000500: cpu_idle: state=1 cpu_id=1\n"
            "not a trace line\n")

    def shown(self, text, name):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        after, said = self.around(self.path(name))
        self.assertRegex(said, r"1 switches, 5 marks of programs")
        self.assertRegex(said, r"1 cpu_idle, 1 malformed lines")
        events = [(event["ph"], event["name"], event["ts"], event["pid"], event["tid"])
                  for event in after["traceEvents"] if event["ph"] != "M"]
        self.assertEqual(events, [("B", "frame|of 60", 1e6, 10, 12), ("C", "queue", 1000100, 10, 12),
                                  ("b", "load", 1000150, 10, 12), ("E", "frame|of 60", 1000300, 10, 12),
                                  ("e", "load", 1000400, 10, 12)])

    def test_alone(self):
        self.shown(self.TEXT, "trace.txt")

    def test_in_a_page_of_systrace(self):
        self.shown("<!DOCTYPE html>\n<html><script>var x = 1;\n</script>\n<script class=\"trace-data\" "
                   f"type=\"application/text\">\n{self.TEXT}</script>\n</html>\n", "trace.html")

    def test_in_json(self):
        self.shown(json.dumps({"traceEvents": [], "systemTraceEvents": self.TEXT}), "trace.json")


class Live(Files):
    """Files of other programs. Every event comes back."""

    def taken(self, path):
        with open(path, encoding="utf-8") as file:
            before = json.load(file)
        events = before if isinstance(before, list) else before["traceEvents"]
        after, said = self.around(path)
        counts = collections.Counter(event["ph"] for event in events if event["ph"] != "M")
        found = collections.Counter(event["ph"] for event in after["traceEvents"] if event["ph"] != "M")
        # End events whose begin is missing.
        lone = re.search(r"([\d,]+) ends and steps", said)
        gone = sum(counts.values()) - sum(found.values())
        self.assertEqual(gone, int(lone[1].replace(",", "")) if lone else 0, f"{counts} {found} {said}")
        for phase in "XBiICPR":
            self.assertEqual(found[phase], counts[phase], phase)
        print(f"{self.id().split('.')[-1]}: {said.splitlines()[0]}", file=sys.stderr)
        return events, said

    def test_clang(self):
        clang = program("clang++", "clang++-14")
        with open(self.path("a.cc"), "w", encoding="utf-8") as file:
            file.write(SOURCE.format(name="a", number=1))
        self.execute(clang, "-ftime-trace", "-c", "a.cc", "-o", "a.o")
        events, _ = self.taken(self.path("a.json"))
        self.assertGreater(sum(event["ph"] == "X" for event in events), 10)

    def test_ninja(self):
        """The time traces of the compilers in a build with several files."""
        ninja, clang = program("ninja"), program("clang++", "clang++-14")
        names = ["one", "two", "three"]
        with open(self.path("build.ninja"), "w", encoding="utf-8") as file:
            file.write(f"rule cc\n  command = {clang} -ftime-trace -c $in -o $out\n")
            for name in names:
                file.write(f"build {name}.o: cc {name}.cc\n")
        for number, name in enumerate(names):
            with open(self.path(f"{name}.cc"), "w", encoding="utf-8") as file:
                file.write(SOURCE.format(name=name, number=number))
        self.execute(ninja, "-j2")
        counts = []
        for name in names:
            events, _ = self.taken(self.path(f"{name}.json"))
            counts.append(sum(event["ph"] == "X" for event in events))
        # clang writes the start time, so all files share a time line.
        self.fxt("merge", *(self.path(f"{name}.json") for name in names), "-o", self.path("all.fxt"))
        self.fxt("check", self.path("all.fxt"))
        both = json.loads(self.fxt("json", self.path("all.fxt"), "-o", "-").stdout)["traceEvents"]
        self.assertEqual(sum(event["ph"] == "X" for event in both), sum(counts))

    def test_node(self):
        node = program("node")
        self.execute(node, "--trace-event-categories", "v8,node,node.async_hooks,node.fs.sync", "-e",
                  "for (let i = 0; i < 20; ++i) setTimeout(() => require('fs').statSync('/'), i)")
        events, _ = self.taken(self.path("node_trace.1.log"))
        self.assertGreater(len({event["ph"] for event in events}), 3)

    def test_perf(self):
        perf = program("perf")
        self.execute(perf, "record", "-q", "-g", "-e", "cpu-clock", "-F", "2000", "-o", "p.data", "--", "sh", "-c",
                  "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
        converted = self.execute(perf, "data", "convert", "--to-json", "p.json", "-i", "p.data", ok=None)
        if converted.returncode != 0:
            self.skipTest(converted.stderr.strip())
        with open(self.path("p.json"), encoding="utf-8") as file:
            before = json.load(file)
        after, said = self.around(self.path("p.json"))
        self.assertGreater(len(before["samples"]), 3)
        self.assertIn(f" {len(before['samples'])} samples", said)

        def plain(sample):
            return json.dumps({key: sample.get(key) for key in ("timestamp", "pid", "tid", "comm", "callchain", "cpu")},
                              sort_keys=True)
        self.assertEqual(sorted(map(plain, after["samples"])), sorted(map(plain, before["samples"])))

    def test_chromium(self):
        chromium = program("chromium", "chromium-browser", "google-chrome")
        with open(self.path("page.html"), "w", encoding="utf-8") as file:
            file.write("<p>text</p><script>performance.mark('ours'); for (let i = 0; i < 1e6; ++i);</script>")
        self.execute(chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                        "--disable-dev-shm-usage", f"--user-data-dir={self.path('profile')}", "--trace-startup",
                        "--trace-startup-format=json", "--trace-startup-duration=0",
                        f"--trace-startup-file={self.path('chrome.json')}", "--dump-dom",
                        f"file://{self.path('page.html')}", ok=None)
        if not os.path.exists(self.path("chrome.json")):
            self.skipTest("this Chromium wrote no trace")
        events, _ = self.taken(self.path("chrome.json"))
        self.assertGreater(len(events), 1000)


if __name__ == "__main__":
    harness.main()
