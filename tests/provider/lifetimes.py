# SPDX-License-Identifier: BSD-2-Clause
"""The life cycle of providers: registration, sessions, forks, and programs that stay unregistered."""

import os
import shutil
import unittest

from recordings import BUILD, LIMIT_S, Recordings, eventually

UNPRIVILEGED = 65534


class Lifetimes(Recordings):
    def test_sessions_of_every_mode(self):
        for mode in (("--circular", "2M"), ("--oneshot", "4M"), ("--streaming", "-o", self.path("s.fxt"))):
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
                late.wait(LIMIT_S)
                self.assertTrue(eventually(lambda: self.names().count("exercise") == 1))
                if mode[0] == "--streaming":
                    self.recorder("stop")
                    name = self.checked("s.fxt")
                else:
                    name = self.stop()
                lines = self.rows(name, "SELECT args ->> 'text' AS text FROM instants WHERE name = 'line'")
                self.assertEqual(sorted(row["text"] for row in told), ["from-early", "from-late"])
                # The program continues without a session.
                early.stdin.write("afterwards\n")
                early.stdin.flush()
                self.assertTrue(eventually(lambda: self.no_controller()))
                self.assertIn(early.stdout.readline(), ("yes\n", "no\n"))
                early.stdin.close()
                early.wait(LIMIT_S)

    def test_a_snapshot_has_all_records_so_far(self):
        self.begin()
        child = self.start("follow")
        child.stdout.readline()
        for number, words in enumerate((["a"], ["a", "b"])):
            child.stdin.write(words[-1] + "\n")
            child.stdin.flush()
            child.stdout.readline()
            name = f"{number}.fxt"
            self.recorder("snapshot", "-o", self.path(name))
            self.checked(name)
            lines = self.rows(name, "SELECT args ->> 'text' AS text FROM instants WHERE name = 'line' ORDER BY ts")
            self.assertEqual([row["text"] for row in lines], words)

    def test_only_selected_categories_are_recorded(self):
        self.begin("--circular", "2M", "-c", "sched,provider:other")
        child = self.start("one", 1)
        child.wait(LIMIT_S)
        name = self.stop()
        self.assertEqual(self.rows(name, "SELECT 1 FROM instants WHERE category = 'app'"), [])
        self.begin("--circular", "2M", "-c", "sched,provider:app")
        child = self.start("follow")
        child.stdout.readline()
        name = self.stop()
        child.stdin.close()

    def test_only_selected_categories_are_recorded_in_the_foreground(self):
        recorder = [os.path.join(BUILD, "fxt-record"), "-q", "--socket", self.socket, "-o", self.path("chosen.fxt")]
        for chosen, count in (("provider:app", 1), ("sched:switch,provider:app,provider:more", 1), ("provider:other", 0)):
            self.run_(*recorder, "--providers", "-c", chosen, "--", self.exercise, "one", "3")
            self.checked("chosen.fxt")
            self.assertEqual(len(self.rows("chosen.fxt", "SELECT 1 FROM instants WHERE category = 'app'")), count, chosen)
        refused = self.run_(*recorder, "-c", "provider:app", "--", "true", ok=(2,))
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

    def test_a_forked_child_registers_itself(self):
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
    def test_in_another_pid_namespace_records_go_to_the_main_thread(self):
        self.begin()
        self.run_("unshare", "--pid", "--fork", self.exercise, "spans", "3")
        name = self.stop()
        outer = self.rows(name, "SELECT DISTINCT tid, pid, process FROM spans WHERE name = 'outer' OR name = 'inner'")
        self.assertEqual([(row["process"], row["tid"] == row["pid"]) for row in outer], [("exercise", True)])
        self.assertEqual(len(self.rows(name, "SELECT 1 FROM threads WHERE process = 'exercise' AND tid < 5")), 0)

    def test_a_full_buffer_is_a_counted_loss(self):
        # The recorder's speed decides how many records are lost.
        count = 600_000
        self.assertEqual(sum(self.written_and_lost(self.record("burst", count))), count)
        # A oneshot buffer is never emptied.
        self.begin("--oneshot", "32M", "-c", "sched:switch")
        self.run_(self.exercise, "burst", str(count))
        written, lost = self.written_and_lost(self.stop())
        self.assertEqual(written + lost, count)
        self.assertGreater(written, 80_000)
        self.assertGreater(lost, 400_000)

    def test_without_permission_to_connect_it_runs_unregistered(self):
        self.begin()
        done = self.run_(self.exercise, "wait", user=UNPRIVILEGED, group=UNPRIVILEGED, extra_groups=[], input="\n")
        self.assertEqual((done.stdout, done.stderr), ("not registered\n", ""))
        self.assertNotIn("exercise", self.names())

    def test_without_a_recorder_it_runs_unregistered(self):
        self.assertEqual(self.run_(self.exercise, "kinds").stderr, "")
