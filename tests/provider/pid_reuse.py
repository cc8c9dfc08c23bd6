# SPDX-License-Identifier: BSD-2-Clause
"""A process id that another program gets after its owner has ended."""

import errno
import shutil
import signal
import subprocess

from harness import DEADLINE_S, eventually
from recordings import ROOMY, Recordings
from spawn_as import spawn_as

TRIES = 20


class PidReuse(Recordings):
    def one_after_the_other(self):
        """Runs "first", which ends inside a span, then "second" with the same pid. Both write `mark` in their records."""
        for name in ("first", "second"):
            shutil.copy(self.exercise, self.path(name))
        for attempt in range(TRIES):
            mark = f"try{attempt}"
            with subprocess.Popen([self.path("first"), "own", mark, "dies"], env=self.environment) as first:
                self.assertEqual(first.wait(DEADLINE_S), -signal.SIGKILL)
            try:
                status = spawn_as(first.pid, [self.path("second"), "own", mark], self.environment)
            except OSError as error:
                if error.errno in (errno.ENOSYS, errno.EPERM, errno.EINVAL):
                    self.skipTest(f"cannot choose a process id: {error}")
                if error.errno != errno.EEXIST:
                    raise
                continue
            self.assertEqual(status, 0)
            return first.pid, mark
        return self.fail("the process id was never free")

    def test_a_reused_pid_is_another_process(self):
        """The spans of both programs are on two threads of two processes."""
        for mode in (("--streaming", "-o", self.path("s.fxt")), ("--circular", ROOMY), ("--oneshot", ROOMY)):
            with self.subTest(mode=mode[0]):
                self.assertTrue(eventually(self.no_controller))
                self.begin(*mode, "-c", "sched,task")
                pid, mark = self.one_after_the_other()
                name = self.finish(mode[0])
                spans = self.rows(name, "SELECT name, tid, pid, koid, process, dur FROM spans "
                                        f"WHERE category = 'app' AND args ->> 'program' = '{mark}' ORDER BY ts")
                self.assertEqual([(span["process"], span["name"]) for span in spans],
                                 [("first", "own")] * 3 + [("first", "open")] + [("second", "own")] * 3)
                self.assertEqual({(span["tid"], span["pid"]) for span in spans}, {(pid, pid)})
                koids = {process: {span["koid"] for span in spans if span["process"] == process}
                         for process in ("first", "second")}
                self.assertEqual([len(own) for own in koids.values()], [1, 1])
                self.assertEqual(len(koids["first"] | koids["second"]), 2)
                # The span of the program that ended has no end. The first span of the other one does not close it.
                self.assertEqual([span["dur"] is None for span in spans], [False] * 3 + [True] + [False] * 3)
                processes = self.rows(name, f"SELECT name, koid FROM processes WHERE pid = {pid}")
                self.assertEqual(sorted(row["name"] for row in processes), ["first", "second"])
                self.assertEqual(len({row["koid"] for row in processes}), 2)
                threads = self.rows(name, f"SELECT process, koid FROM threads WHERE tid = {pid}")
                self.assertEqual({row["process"]: {row["koid"]} for row in threads}, koids)
