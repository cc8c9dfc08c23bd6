#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds critical paths against a program that measures each segment of its requests by its own clocks (root, BTF)."""

import collections
import functools
import json
import os
import re
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, RECORDER, query, run  # noqa: E402

PROGRAM = os.path.join(BUILD, "tests", "segments")
REQUESTS = int(os.environ.get("PATH_REQUESTS", "150"))
SEGMENTS = 9  # of a request
HAS_OBJECT_NS = 100_000  # Shorter sleeps have none; a fast disk ends them sooner.


def setUpModule():
    harness.skip_unless_recordable()
    harness.use_own_socket()
    folder = tempfile.TemporaryDirectory(dir=BUILD)
    unittest.addModuleCleanup(folder.cleanup)
    globals()["FOLDER"] = folder.name
    globals()["TRACE"] = os.path.join(folder.name, "segments.fxt")
    done = run(RECORDER, "-q", "-c", "default,syscall,block,wait", "--providers", "--buffer-size", "64M", "-o", TRACE, "--",
               PROGRAM, str(REQUESTS), os.path.join(folder.name, "data"), ok=(0,))
    globals()["FIGURES"] = [line.split() for line in done.stdout.splitlines()]
    # A busy machine serves fewer.
    globals()["SERVED"] = len(FIGURES) // SEGMENTS


# On a busy machine the recording is large, and each question takes long.
@functools.cache
def path_json(*options):
    return json.loads(harness.fxt("path", TRACE, "--json", *options))["requests"]


class PathTest(unittest.TestCase):
    def test_parts_add_up_to_each_request(self):
        self.assertGreater(SERVED, 0)
        for pattern, least in (("app/request", SERVED), ("segment/*", SEGMENTS * SERVED), ("syscall/*", 20 * SERVED)):
            requests = path_json("--span", pattern)
            self.assertGreaterEqual(len(requests), least)
            for request in requests:
                self.assertEqual(sum(part["ns"] for part in request["parts"]), request["dur"], request)

    def test_each_segment_is_what_the_program_measured(self):
        """The median difference is within 3% or 50 us of the program's figure, or of the interval that it gives."""
        expected = collections.defaultdict(list)
        for segment, kind, thread, ns, least in FIGURES:
            expected[segment].append((kind, thread, int(ns), int(least)))
        shown = collections.defaultdict(list)
        for request in path_json("--span", "segment/*"):
            shown[request["name"]].append(request)
        self.assertEqual(len(expected), SEGMENTS)
        for segment, figures in sorted(expected.items()):
            requests = sorted(shown[segment], key=lambda request: request["ts"])
            self.assertEqual(len(requests), len(figures), segment)
            errors, exact = [], []
            for request, (kind, thread, ns, least) in zip(requests, figures):
                total = 0
                for part in request["parts"]:
                    own = part["thread"] == "requester"
                    if kind == "waiting":
                        # All but the work of the thread itself.
                        matches = not (own and part["kind"] == "running")
                    else:
                        matches = part["kind"] in kind.split("+") and part["thread"] == thread
                        # Its work on the CPU that the thread on the path waits for.
                        matches = matches or (kind == "running" and part["kind"] == "runnable" and
                                              (part["waited_for"] or "").startswith(thread + " "))
                    total += part["ns"] if matches else 0
                errors.append((max(total - ns, least - total, 0), ns, total))
                exact.append(abs(total - least) <= max(50_000, 0.03 * least))
            error, ns, total = sorted(errors)[len(errors) // 2]
            median = statistics.median(error for error, _, _ in errors)
            print(f"{segment}: measured {statistics.median(ns for _, ns, _ in errors) / 1e3:.1f} us, "
                  f"path {statistics.median(total for _, _, total in errors) / 1e3:.1f} us, "
                  f"median difference {median / 1e3:.1f} us", file=sys.stderr)
            with self.subTest(segment):
                self.assertLessEqual(median, max(50_000, 0.03 * statistics.median(ns for _, ns, _ in errors)),
                                     f"{segment}: {error} of {ns}, path {total}")
                # The clocks count idle time in some waits only, and the other ones have no interval.
                if kind == "waiting":
                    print(f"{segment}: {sum(exact)} of {len(exact)} exact", file=sys.stderr)
                    self.assertGreater(sum(exact), len(exact) // 4, segment)

    def test_leaves_have_names(self):
        by_name = collections.defaultdict(list)
        for request in path_json("--span", "segment/*"):
            by_name[request["name"]].append(request)

        def share(segment, condition):
            return sum(any(condition(part) for part in request["parts"])
                       for request in by_name[segment]) / len(by_name[segment])

        self.assertGreater(share("sleep", lambda part: part["kind"] == "timer" and
                                 part["waited_for"] == "clock_nanosleep"), 0.9)
        self.assertGreater(share("contention", lambda part: part["kind"] == "runnable" and
                                 (part["waited_for"] or "").startswith("hog ")), 0.5)
        # In parts, where others take the CPU from it.
        ran = [sum(part["ns"] for part in request["parts"] if part["kind"] == "running" and part["thread"] == "child")
               for request in by_name["child"]]
        self.assertGreater(sum(ns > 300_000 for ns in ran) / len(ran), 0.9)
        self.assertGreater(share("lock", lambda part: part["thread"] == "holder" and
                                 part["waited_for"] == "futex"), 0.5)
        # A file system without a block device has none.
        requests = query(TRACE, "SELECT count(*) FROM spans WHERE category = 'block'")[0][0]
        if requests >= SERVED:
            self.assertGreater(share("disk", lambda part: part["kind"] == "device" and
                                     part["waited_for"].startswith("block ") and
                                     (part["object"] or part["ns"] < HAS_OBJECT_NS)), 0.5)

    def test_parts_name_what_sleeps_were_on(self):
        """With category `wait`: the file, the lock's place in the program, the socket's addresses."""
        objects = collections.defaultdict(set)
        for request in path_json("--span", "segment/*"):
            objects[request["name"]].update(part["object"] for part in request["parts"] if part["object"])
        self.assertTrue(any(object.startswith(os.path.join(FOLDER, "data")) for object in objects["disk"]), objects["disk"])
        program = re.escape(os.path.realpath(PROGRAM))
        self.assertTrue(any(re.match(rf"{program}\+0x[0-9a-f]+$", object) for object in objects["lock"]), objects["lock"])
        self.assertTrue(any(re.match(r"socket:\[\d+\]$", object) for object in objects["service"]), objects["service"])

    def test_text_says_where_time_went(self):
        text = harness.fxt("path", TRACE, "--span", "app/request")
        self.assertIn(f"{SERVED} requests", text)
        self.assertIn("hog", text)
        slow = harness.fxt("path", TRACE, "--span", "segment/*", "--slow", "p95")
        self.assertRegex(slow.splitlines()[0], r"slow requests take .* ms longer .*: \+.* ms: .*")

    def test_waterfall_adds_up(self):
        slowest = max(path_json("--span", "app/request"), key=lambda request: request["dur"])
        for options in ((), ("--all-parts",)):
            text = harness.fxt("path", TRACE, "--span", "app/request", "--id", str(slowest["id"]), *options)
            lines = [line.split() for line in text.splitlines()]
            total = f"{slowest['dur'] // 10**6}.{slowest['dur'] % 10**6:06}"
            self.assertTrue(any(line[:1] == [total] and line[1:] == ["in", "all"] for line in lines), text)

    def test_thread_and_interval(self):
        begin = query(TRACE, "SELECT begin_ts FROM captures")[0][0]
        some = path_json("--span", "app/request")[SERVED // 2]
        from_ns, to_ns = some["ts"], some["ts"] + some["dur"]
        found = path_json("--thread", "requester", "--from", f"@{from_ns}", "--to", f"@{to_ns}")
        self.assertGreaterEqual(begin, 0)
        self.assertEqual(len(found), 1)
        self.assertEqual((found[0]["ts"], found[0]["dur"], found[0]["parts"]),
                         (some["ts"], some["dur"], some["parts"]))

    def test_folded_and_page_and_tracks(self):
        whole = sum(request["dur"] for request in path_json("--span", "app/request"))
        folded = harness.fxt("path", TRACE, "--span", "app/request", "--folded")
        self.assertEqual(sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines()), whole)
        page = os.path.join(FOLDER, "path.html")
        harness.fxt("path", TRACE, "--span", "app/request", "--html", page)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("contention", harness.fxt("path", TRACE, "--span", "segment/*"))
        self.assertNotIn("http://", text.replace("http://www.w3.org/2000/svg", ""))
        tracks = os.path.join(FOLDER, "path.fxt")
        harness.fxt("path", TRACE, "--span", "app/request", "-o", tracks)
        harness.fxt("check", tracks)
        sums = query(tracks, "SELECT sum(dur) FILTER (WHERE category = 'requests'), "
                             "sum(dur) FILTER (WHERE category = 'path') FROM spans WHERE process = 'critical path'")[0]
        self.assertEqual(sums, [whole, whole])
        # The trace itself is in it.
        for table in ("slices", "waits", "wakeups"):
            self.assertEqual(query(tracks, f"SELECT count(*) FROM {table}"), query(TRACE, f"SELECT count(*) FROM {table}"))

    def test_wrong_command_lines(self):
        for options, message in (
                ((), "either --span or --thread"),
                (("--span", "x", "--thread", "y"), "either --span or --thread"),
                (("--span", "no such span"), "no span matches"),
                (("--span", "*", "--slow", "99"), "not a quantile"),
                (("--span", "*", "--slow", "p100"), "not a quantile"),
                (("--span", "app/request", "--id", "1000000000"), "no request has the id"),
                (("--thread", "nosuchthread"), "none of those threads"),
                (("--span", "*", "--from", "2s", "--to", "1s"), "is after --to")):
            done = run(harness.FXT, "path", TRACE, *options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(message, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    harness.main()
