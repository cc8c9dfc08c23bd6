# SPDX-License-Identifier: BSD-2-Clause
"""Providers that start, end, fork or run without a recorder."""

import shutil
import unittest

from harness import DEADLINE_S, RECORDER, eventually
from recordings import ROOMY, Recordings

NOBODY = 65534


class Lifetimes(Recordings):
    def test_sessions_of_every_mode(self):
        for mode in (("--circular", ROOMY), ("--oneshot", ROOMY), ("--streaming", "-o", self.path("s.fxt"))):
            with self.subTest(mode=mode[0]):
                self.assertTrue(eventually(self.no_controller))
                early = self.start("follow")
                self.begin(*mode, "-c", "sched,task")
                self.assertEqual(early.stdout.readline(), "recorded\n")
                self.assertIn("exercise", self.names())
                late = self.start("follow")
                self.assertEqual(late.stdout.readline(), "recorded\n")
                for child, word in ((early, "from-early"), (late, "from-late")):
                    child.stdin.write(word + "\n")
                    child.stdin.flush()
                    self.assertEqual(child.stdout.readline(), "yes\n")
                late.stdin.close()
                late.wait(DEADLINE_S)
                self.assertTrue(eventually(lambda: self.names().count("exercise") == 1))
                name = self.finish(mode[0])
                written = self.rows(name, "SELECT args ->> 'text' AS text FROM instants WHERE name = 'line'")
                self.assertEqual(sorted(row["text"] for row in written), ["from-early", "from-late"])
                # The program continues without a recorder.
                early.stdin.write("afterwards\n")
                early.stdin.flush()
                self.assertTrue(eventually(lambda: self.no_controller()))
                self.assertIn(early.stdout.readline(), ("yes\n", "no\n"))
                early.stdin.close()
                early.wait(DEADLINE_S)

    def test_snapshots_have_all_records_so_far(self):
        self.begin()
        child = self.start("follow")
        child.stdout.readline()
        for number, words in enumerate((["a"], ["a", "b"])):
            child.stdin.write(words[-1] + "\n")
            child.stdin.flush()
            child.stdout.readline()
            name = f"{number}.fxt"
            written = self.snapshot_rows(name, "SELECT args ->> 'text' AS text FROM instants WHERE name = 'line' ORDER BY ts")
            self.assertEqual([row["text"] for row in written], words)

    def test_categories_select_providers(self):
        self.begin("--circular", "2M", "-c", "sched,provider:other")
        child = self.start("one", 1)
        child.wait(DEADLINE_S)
        name = self.stop()
        self.assertEqual(self.rows(name, "SELECT 1 FROM instants WHERE category = 'app'"), [])
        self.begin("--circular", "2M", "-c", "sched,provider:app")
        child = self.start("follow")
        child.stdout.readline()
        name = self.stop()
        child.stdin.close()

    def test_categories_in_a_foreground_recording(self):
        recorder = [RECORDER, "-q", "--socket", self.socket, "-o", self.path("chosen.fxt")]
        for chosen, count in (("provider:app", 1), ("sched:switch,provider:app,provider:more", 1), ("provider:other", 0)):
            self.execute(*recorder, "--providers", "-c", chosen, "--", self.exercise, "one", "3")
            self.checked("chosen.fxt")
            self.assertEqual(len(self.rows("chosen.fxt", "SELECT 1 FROM instants WHERE category = 'app'")), count, chosen)
        refused = self.execute(*recorder, "-c", "provider:app", "--", "true", ok=(2,))
        self.assertIn("--providers", refused.stderr)

    def test_alerts_fire_triggers(self):
        self.begin("--circular", "2M", "-c", "sched", "--trigger", "alert line-alert", "-o", self.path("t-%n.fxt"))
        child = self.start("follow")
        child.stdout.readline()
        child.stdin.write("alert\n")
        child.stdin.flush()
        self.assertTrue(eventually(lambda: self.status()["triggers"][0]["files"] == 1))
        self.checked("t-1.fxt")
        self.assertEqual(len(self.rows("t-1.fxt", "SELECT 1 FROM instants WHERE name = 'line-alert'")), 1)

    def test_a_forked_child_is_a_provider_of_its_own(self):
        name = self.record("fork")
        parents = self.rows(name, "SELECT DISTINCT pid FROM instants WHERE name = 'parent'")
        children = self.rows(name, "SELECT DISTINCT pid FROM instants WHERE name = 'child'")
        execs = self.rows(name, "SELECT DISTINCT pid FROM instants WHERE name = 'one'")
        self.assertEqual((len(parents), len(children), len(execs)), (1, 1, 1))
        self.assertEqual(len({row["pid"] for row in parents + children + execs}), 3)

    def written_and_lost(self, name):
        written = self.rows(name, "SELECT count(*) AS n FROM instants WHERE name = 'burst'")[0]["n"]
        lost = self.rows(name, "SELECT coalesce(sum(args ->> 'count'), 0) AS n FROM instants WHERE name = 'lost_events' "
                               "AND args ->> 'category' = 'exercise'")[0]["n"]
        return written, lost

    @unittest.skipUnless(shutil.which("unshare"), "no unshare")
    def test_in_another_process_namespace(self):
        """Thread ids are those of the outer namespace."""
        self.begin()
        self.execute("unshare", "--pid", "--fork", self.exercise, "spans", "3")
        name = self.stop()
        outer = self.rows(name, "SELECT DISTINCT tid, pid, process FROM spans WHERE name = 'outer' OR name = 'inner'")
        self.assertEqual([(row["process"], row["tid"] == row["pid"]) for row in outer], [("exercise", True)])
        self.assertEqual(len(self.rows(name, "SELECT 1 FROM threads WHERE process = 'exercise' AND tid < 5")), 0)

    def test_a_full_buffer_is_a_counted_loss(self):
        # The share that the recorder saves depends on the load of the machine.
        count = 600_000
        self.assertEqual(sum(self.written_and_lost(self.record("burst", count))), count)
        # A oneshot recording does not empty the buffer.
        self.begin("--oneshot", "32M", "-c", "sched:switch")
        self.execute(self.exercise, "burst", str(count))
        written, lost = self.written_and_lost(self.stop())
        self.assertEqual(written + lost, count)
        self.assertGreater(written, 80_000)
        self.assertGreater(lost, 400_000)

    def test_a_program_without_access_to_the_socket_runs(self):
        self.begin()
        done = self.execute(self.exercise, "wait", user=NOBODY, group=NOBODY, extra_groups=[], input="\n")
        self.assertEqual((done.stdout, done.stderr), ("not registered\n", ""))
        self.assertNotIn("exercise", self.names())

    def test_a_program_without_a_recorder_runs(self):
        self.assertEqual(self.execute(self.exercise, "kinds").stderr, "")
