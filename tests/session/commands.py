# SPDX-License-Identifier: BSD-2-Clause
"""Sessions that the commands of fxt-record control."""

import os
import signal
import stat
import subprocess

from harness import DEADLINE_S, FXT, eventually, run
from sessions import Session


class Commands(Session):
    def test_status_has_the_limit_of_unwind_tables(self):
        self.start()
        self.assertNotIn("unwind", self.status())
        self.do("stop", "-o", self.path("a.fxt"))
        self.ended_by_itself()
        self.start("-c", "sched,task,stack:off")
        unwind = self.status()["unwind"]
        self.assertTrue(0 < unwind["table_bytes"] <= unwind["max_table_bytes"], unwind)
        self.assertRegex(self.do("status").stdout, r"unwind tables of \d+ files, .* \(at most 32")
        self.do("stop", "-o", self.path("b.fxt"))

    def test_a_session_from_start_to_stop(self):
        self.assertIn("no controller is running", self.refused("status"))
        self.start()
        status = self.status()
        self.assertEqual((status["state"], status["buffering_mode"]), ("STARTED", "CIRCULAR"))
        for field in ("covered_seconds", "events", "lost", "cpu_seconds"):
            self.assertGreaterEqual(status[field], 0)
        self.assertEqual(status["providers"], [{"id": 1, "pid": status["pid"], "name": "fxt-record"}])
        self.assertEqual(status["triggers"], [])
        self.assertRegex(self.do("status").stdout, r"STARTED, CIRCULAR(.|\n)*covers(.|\n)*lost +[\d,]+")
        self.assertTrue(eventually(lambda: self.status()["covered_seconds"] > 0.2))
        self.do("snapshot", "-o", self.path("a.fxt"), "--last", "100ms")
        self.check("a.fxt")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.fxt")).st_mode), 0o600)
        self.do("snapshot", "-o", self.path("b.fxt.gz"))
        self.check("b.fxt.gz")
        piped = subprocess.run([self.recorder, "snapshot", "-o", "-", "--socket", self.socket], check=True,
                               capture_output=True, timeout=DEADLINE_S).stdout
        with open(self.path("c.fxt"), "wb") as file:
            file.write(piped)
        self.check("c.fxt")
        self.assertIn("ALREADY_INITIALIZED", self.refused("start"))
        self.assertIn("stop needs -o FILE", self.refused("stop"))
        self.do("stop", "-o", self.path("d.fxt"))
        self.check("d.fxt")
        self.ended_by_itself()

    def test_sessions_follow_each_other(self):
        for _ in range(3):
            self.start()
            self.do("cancel")

    def test_alerts(self):
        self.start()
        watcher = self.client()
        watcher.send("WatchAlert", more=True)
        # The answer shows that the controller has read the call before it.
        self.status()
        self.do("alert", "slow-request")
        self.assertEqual(watcher.receive(), {"parameters": {"alert_name": "slow-request"}, "continues": True})
        watcher.close()
        self.assertIn("14 bytes", self.refused("alert", "fifteen-bytes-x"))
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        dump = run(FXT, "dump", "--type", "instant", self.path("a.fxt"))
        self.assertIn("slow-request", dump.stdout)
        self.do("cancel")
        self.ended_by_itself()

    def test_triggers_write_files(self):
        self.start("--circular", "2M", "-c", "sched", "--trigger", "alert spike", "--trigger", "alert other",
                   "--before", "1s", "-o", self.path("spike-%n.fxt"))
        self.do("alert", "nothing")
        self.do("alert", "spike")
        self.assertTrue(eventually(lambda: self.status()["triggers"][0]["files"] == 1))
        self.check("spike-1.fxt")
        self.assertEqual(self.status()["triggers"][0],
                         {"condition": "alert spike", "fired": 1, "suppressed": 0, "files": 1})
        self.assertEqual(self.status()["triggers"][1]["fired"], 0)
        self.do("cancel")
        self.ended_by_itself()
        for words in (["--trigger", "alert x"], ["--trigger", "no such", "-o", "x"], ["--before", "1s"],
                      ["--trigger", "exit", "-o", "x"], ["--streaming", "--trigger", "alert x", "-o", "x"]):
            self.assertEqual(self.command("start", *words).returncode, 2, words)

    def test_a_foreground_recording_receives_alerts(self):
        recording = subprocess.Popen([self.recorder, "--circular", "2M", "--trigger", "alert slow-request", "--socket",
                                      self.socket, "-o", self.path("slow-%n.fxt")], stderr=subprocess.PIPE, text=True)
        self.addCleanup(recording.communicate)
        self.addCleanup(recording.kill)
        self.assertIn("recording into", recording.stderr.readline())
        self.do("alert", "other")
        self.do("alert", "slow-request")
        written = [{"condition": "alert slow-request", "fired": 1, "suppressed": 0, "files": 1}]
        self.assertTrue(eventually(lambda: self.status()["triggers"] == written), self.status()["triggers"])
        for words in (["snapshot", "-o", self.path("no")], ["stop", "-o", self.path("no")], ["cancel"], ["start"]):
            self.assertIn("NOT_SUPPORTED", self.refused(*words))
        self.assertFalse(os.path.exists(self.path("no")))
        # A socket has one controller.
        self.assertIn("another controller", self.refused("--circular", "2M", "--trigger", "alert x"))
        recording.send_signal(signal.SIGINT)
        _, said = recording.communicate(timeout=DEADLINE_S)
        self.assertEqual(recording.returncode, 0, said)
        self.check("slow-1.fxt")
        self.assertFalse(os.path.exists(self.socket))
        self.assertEqual(self.command("--circular", "2M").returncode, 2)

    def test_streaming(self):
        self.assertEqual(self.command("start", "--streaming").returncode, 2)
        self.start("--streaming", "-o", self.path("day.fxt"))
        self.assertIn("streaming", self.refused("snapshot", "-o", self.path("a.fxt")))
        self.assertFalse(os.path.exists(self.path("a.fxt")))
        # The file has its name during the recording.
        self.assertTrue(os.path.exists(self.path("day.fxt")))
        self.do("alert", "lunch")
        self.do("stop")
        self.check("day.fxt")
        self.assertIn("lunch", run(FXT, "dump", "--type", "instant", self.path("day.fxt")).stdout)

    def test_a_session_of_selected_tasks(self):
        sleeper = subprocess.Popen(["bash", "-c", "while :; do read -t 0.005 <> <(:); done"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        self.start("--circular", "2M", "-c", "sched", "--pid", str(sleeper.pid), "--comm", "no-such-comm")
        self.assertTrue(eventually(lambda: self.status()["events"] > 100))
        self.do("stop", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        switches = self.dump("a.fxt", "--type", "switch").splitlines()
        self.assertTrue(switches)
        for line in switches:
            self.assertIn(str(sleeper.pid), line)

    def test_oneshot_stops_by_itself(self):
        self.start("--oneshot", "1M", "-c", "sched")
        ping, pong = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            try:
                while os.read(ping[0], 1):
                    os.write(pong[1], b"x")
            finally:
                os._exit(0)

        def switches():
            for _ in range(1000):
                os.write(ping[1], b"x")
                os.read(pong[0], 1)
            return self.status()["state"] == "STOPPED"
        try:
            self.assertTrue(eventually(switches))
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            for end in (*ping, *pong):
                os.close(end)
        self.assertIn("full", self.status()["reason"])
        self.do("stop", "-o", self.path("a.fxt"))
        self.check("a.fxt")

    def test_watch_writes_lines_without_a_terminal(self):
        self.start()
        watch = subprocess.Popen([self.recorder, "status", "--watch", "--socket", self.socket], stdout=subprocess.PIPE,
                                 text=True)
        lines = [watch.stdout.readline(), watch.stdout.readline()]
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=DEADLINE_S)
        self.assertEqual(watch.returncode, 0)
        self.assertRegex(lines[0], r"^STARTED CIRCULAR covers .* events [\d,]+ lost [\d,]+\n")
        self.assertRegex(lines[1], r"events [\d,]+ \([\d,]+/s\) lost [\d,]+ cpu [\d.]+%\n")

    def test_wrong_arguments_are_errors(self):
        for words in (["start", "--circular", "2Q"], ["start", "-c", "nosuch"], ["start", "--no-such-option"],
                      ["snapshot"], ["snapshot", "-o", "x", "--last", "soon"], ["alert"], ["status", "extra"],
                      ["start", "--circular", "2M", "--oneshot", "2M"], ["serve", "--group", "no-such-group"]):
            done = self.command(*words)
            self.assertEqual(done.returncode, 2, f"{words}: {done.stderr}")
            self.assertIn("fxt-record: error: ", done.stderr)
