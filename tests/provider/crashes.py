# SPDX-License-Identifier: BSD-2-Clause
"""Providers that are killed or corrupt their buffers."""

import contextlib
import mmap
import os
import random
import struct
import subprocess
import sys
import time

from harness import BUILD, DEADLINE_S, eventually
from recordings import ROOMY, Recordings

KILLS = int(os.environ.get("FXT_PROVIDER_KILLS", "8"))
LIARS = int(os.environ.get("FXT_PROVIDER_LIARS", "8"))


class Crashes(Recordings):
    def test_killed_at_any_time(self):
        self.begin("--streaming", "-o", self.path("killed.fxt"), "-c", "sched:switch,task")
        dead = []
        for number in range(KILLS):
            progress = self.path(f"progress{number % 16}")
            with contextlib.suppress(FileNotFoundError):
                os.unlink(progress)
            child = self.start("count", progress, 2)
            child.stdout.readline()
            time.sleep(random.uniform(0, 0.02))
            child.kill()
            child.wait(DEADLINE_S)
            with open(progress, "rb") as file, mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_READ) as memory:
                dead.append((child.pid, [struct.unpack_from("Q", memory, i * 64)[0] for i in range(2)]))
            child.stdin.close()
            child.stdout.close()
        self.recorder("stop")
        name = self.checked("killed.fxt")
        rows = self.rows(name, "SELECT pid, args ->> 'thread' AS worker, count(*) AS n, max(args ->> 'k') AS last, "
                               "count(DISTINCT args ->> 'k') AS kinds, sum(args ->> 'k' != args ->> 'same') AS torn "
                               "FROM instants WHERE name = 'count' GROUP BY pid, worker")
        seen = {(row["pid"], int(row["worker"])): row for row in rows}
        # On a busy machine a program may fill its buffer.
        lost = sum(row["n"] for row in self.rows(name, "SELECT args ->> 'count' AS n FROM instants WHERE name = 'lost_events' "
                                                       "AND args ->> 'category' = 'exercise'"))
        for pid, done in dead:
            for thread, committed in enumerate(done):
                row = seen.get((pid, thread), {"n": 0, "kinds": 0, "last": 0, "torn": 0})
                # All committed records, at most one more, and no torn record.
                self.assertLessEqual(committed - lost, row["n"], row)
                self.assertLessEqual(row["n"], committed + 1, row)
                self.assertLessEqual(int(row["last"]), committed + 1, row)
                self.assertEqual((row["kinds"], row["torn"] or 0), (row["n"], 0), row)
                if not lost:
                    self.assertEqual(int(row["last"]), row["n"], row)
        total = sum(row["n"] for row in rows)
        self.assertLessEqual(sum(sum(done) for _, done in dead), total + lost)
        print(f"killed: {len(dead)} programs, {total} records, {lost} lost", file=sys.stderr)

    def test_corrupt_buffers_affect_no_other_provider(self):
        for mode in ("--streaming", "--circular"):
            with self.subTest(mode=mode):
                self.begin(*(("--streaming", "-o", self.path("s.fxt")) if mode == "--streaming" else (mode, ROOMY)),
                           "-c", "sched,task")
                honest = self.start("follow")
                honest.stdout.readline()
                liars = [subprocess.Popen([os.path.join(BUILD, "tests/hostile"), self.socket, "noise", str(seed), "300"])
                         for seed in range(LIARS)]
                for number in range(20):
                    self.say(honest, number)
                if mode == "--circular":
                    self.recorder("snapshot", "-o", self.path("during.fxt"))
                    self.checked("during.fxt")
                for liar in liars:
                    self.assertEqual(liar.wait(DEADLINE_S), 0)
                name = self.finish(mode)
                written = self.rows(name, "SELECT args ->> 'text' AS text FROM instants WHERE name = 'line' ORDER BY ts")
                self.assertEqual([row["text"] for row in written], [str(number) for number in range(20)])
                honest.stdin.close()
                honest.wait(DEADLINE_S)
                self.assertTrue(eventually(self.no_controller))
