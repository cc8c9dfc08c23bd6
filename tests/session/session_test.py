#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sessions from outside: the commands, plain JSON over the socket, a varlink client that is not ours,
and what happens when something goes away. Needs root."""

import array
import contextlib
import fcntl
import grp
import json
import os
import pty
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build")
INTERFACE = "fuchsia.tracing.controller"
GO_PATH = "/usr/share/gocode"
NOBODY = 65534
LIMIT_S = 60
CIRCULAR = {"config": {"categories": ["sched"], "buffer_size_megabytes_hint": 2, "buffering_mode": "CIRCULAR"}}


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S, **more)


def eventually(holds):
    deadline = time.monotonic() + LIMIT_S
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class Varlink:
    """Plain JSON, as any program could write it."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(LIMIT_S)
        self.socket.connect(path)
        self.buffer = b""

    def send(self, method, parameters=None, descriptors=(), **more):
        call = {"method": f"{INTERFACE}.{method}", "parameters": parameters or {}, **more}
        data = json.dumps(call).encode() + b"\0"
        control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        self.socket.sendmsg([data], control)

    def receive(self):
        while b"\0" not in self.buffer:
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("the controller ended the connection")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None, descriptors=()):
        self.send(method, parameters, descriptors)
        return self.receive()

    def close(self):
        self.socket.close()


@unittest.skipUnless(os.geteuid() == 0 and os.path.exists("/sys/kernel/btf/vmlinux"), "recording needs root and BTF")
class Session(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.chmod(self.folder, 0o755)
        self.recorder = os.path.join(BUILD, "fxt-record")
        self.socket = os.path.join(self.folder, "control")

    def command(self, *words, **more):
        return run(self.recorder, *words, "--socket", self.socket, **more)

    def do(self, *words, **more):
        done = self.command(*words, **more)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done

    def refused(self, *words, **more):
        done = self.command(*words, **more)
        self.assertEqual(done.returncode, 1, f"{words}: {done.stdout}{done.stderr}")
        self.assertRegex(done.stderr, r"^fxt-record: error: [^\n]+\n(fxt-record: hint: [^\n]+\n)?")
        return done.stderr

    def status(self):
        return json.loads(self.do("status", "--json").stdout)

    def start(self, *options):
        done = self.do("start", *(options or ("--circular", "2M", "-c", "sched")))
        pid = self.status()["pid"]
        self.addCleanup(self.gone, pid)
        return done

    def gone(self, pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def serve(self, *options, **more):
        server = subprocess.Popen([self.recorder, "serve", "--socket", self.socket, *options], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, **more)

        def end():
            server.kill()
            server.communicate()
        self.addCleanup(end)
        self.assertEqual(server.stdout.readline(), "READY\n")
        return server

    def ends(self, server, number=signal.SIGTERM):
        """Ends it, and what it said."""
        server.send_signal(number)
        out, err = server.communicate(timeout=LIMIT_S)
        return server.returncode, out, err

    def client(self):
        client = Varlink(self.socket)
        self.addCleanup(client.close)
        return client

    def path(self, name):
        return os.path.join(self.folder, name)

    def check(self, name):
        done = run(os.path.join(BUILD, "fxt"), "check", self.path(name))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater(int(done.stdout.split(": ")[1].split()[0]), 20, done.stdout)

    def dump(self, name, *options):
        done = run(os.path.join(BUILD, "fxt"), "dump", *options, self.path(name))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def ended_by_itself(self):
        """The controller that `start` began ends with its session."""
        self.assertTrue(eventually(lambda: not os.path.exists(self.socket)))


class Commands(Session):
    def test_a_session_from_start_to_stop(self):
        self.assertIn("no controller runs", self.refused("status"))
        self.start()
        status = self.status()
        self.assertEqual((status["state"], status["buffering_mode"]), ("STARTED", "CIRCULAR"))
        for field in ("covered_seconds", "events", "lost", "cpu_seconds"):
            self.assertGreaterEqual(status[field], 0)
        self.assertEqual(status["providers"], [{"id": 1, "pid": status["pid"], "name": "fxt-record"}])
        self.assertEqual(status["triggers"], [])
        self.assertRegex(self.do("status").stdout, r"STARTED, CIRCULAR(.|\n)*covers(.|\n)*lost +0")
        self.assertTrue(eventually(lambda: self.status()["covered_seconds"] > 0.2))
        self.do("snapshot", "-o", self.path("a.fxt"), "--last", "100ms")
        self.check("a.fxt")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("a.fxt")).st_mode), 0o600)
        self.do("snapshot", "-o", self.path("b.fxt.gz"))
        self.check("b.fxt.gz")
        piped = subprocess.run([self.recorder, "snapshot", "-o", "-", "--socket", self.socket], check=True,
                               capture_output=True, timeout=LIMIT_S).stdout
        with open(self.path("c.fxt"), "wb") as file:
            file.write(piped)
        self.check("c.fxt")
        self.assertIn("ALREADY_INITIALIZED", self.refused("start"))
        self.assertIn("where should the results go", self.refused("stop"))
        self.do("stop", "-o", self.path("d.fxt"))
        self.check("d.fxt")
        self.ended_by_itself()

    def test_a_session_can_follow_at_once(self):
        for _ in range(3):
            self.start()
            self.do("cancel")

    def test_alerts(self):
        self.start()
        watcher = self.client()
        watcher.send("WatchAlert", more=True)
        # Who asks later is answered later.
        self.status()
        self.do("alert", "slow-request")
        self.assertEqual(watcher.receive(), {"parameters": {"alert_name": "slow-request"}, "continues": True})
        watcher.close()
        self.assertIn("14 bytes", self.refused("alert", "fifteen-bytes-x"))
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")
        dump = run(os.path.join(BUILD, "fxt"), "dump", "--type", "instant", self.path("a.fxt"))
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

    def test_a_recording_in_the_foreground_hears_alerts(self):
        recording = subprocess.Popen([self.recorder, "--circular", "2M", "--trigger", "alert slow-request", "--socket",
                                      self.socket, "-o", self.path("slow-%n.fxt")], stderr=subprocess.PIPE, text=True)
        self.addCleanup(recording.communicate)
        self.addCleanup(recording.kill)
        self.assertIn("recording into", recording.stderr.readline())
        self.do("alert", "other")
        self.do("alert", "slow-request")
        self.assertEqual(self.status()["triggers"],
                         [{"condition": "alert slow-request", "fired": 1, "suppressed": 0, "files": 1}])
        for words in (["snapshot", "-o", self.path("no")], ["stop", "-o", self.path("no")], ["cancel"], ["start"]):
            self.assertIn("NOT_SUPPORTED", self.refused(*words))
        self.assertFalse(os.path.exists(self.path("no")))
        # One at a time at one place.
        self.assertIn("another controller", self.refused("--circular", "2M", "--trigger", "alert x"))
        recording.send_signal(signal.SIGINT)
        _, said = recording.communicate(timeout=LIMIT_S)
        self.assertEqual(recording.returncode, 0, said)
        self.check("slow-1.fxt")
        self.assertFalse(os.path.exists(self.socket))
        self.assertEqual(self.command("--circular", "2M").returncode, 2)

    def test_streaming(self):
        self.assertEqual(self.command("start", "--streaming").returncode, 2)
        self.start("--streaming", "-o", self.path("day.fxt"))
        self.assertIn("streaming", self.refused("snapshot", "-o", self.path("a.fxt")))
        self.assertFalse(os.path.exists(self.path("a.fxt")))
        # It has its name while it grows.
        self.assertTrue(os.path.exists(self.path("day.fxt")))
        self.do("alert", "lunch")
        self.do("stop")
        self.check("day.fxt")
        self.assertIn("lunch", run(os.path.join(BUILD, "fxt"), "dump", "--type", "instant", self.path("day.fxt")).stdout)

    def test_of_some_tasks_alone(self):
        sleeper = subprocess.Popen(["bash", "-c", "while :; do read -t 0.005 <> <(:); done"])
        self.addCleanup(sleeper.wait)
        self.addCleanup(sleeper.kill)
        self.start("--circular", "2M", "-c", "sched", "--tgid", str(sleeper.pid), "--comm", "nobody-is-it")
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

    def test_watch_writes_lines_where_there_is_no_terminal(self):
        self.start()
        watch = subprocess.Popen([self.recorder, "status", "--watch", "--socket", self.socket], stdout=subprocess.PIPE,
                                 text=True)
        lines = [watch.stdout.readline(), watch.stdout.readline()]
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=LIMIT_S)
        self.assertEqual(watch.returncode, 0)
        self.assertRegex(lines[0], r"^STARTED CIRCULAR covers .* events [\d,]+ lost 0\n")
        self.assertRegex(lines[1], r"events [\d,]+ \([\d,]+/s\) lost 0 cpu [\d.]+%\n")

    def test_wrong_words_are_told(self):
        for words in (["start", "--circular", "2Q"], ["start", "-c", "nosuch"], ["start", "--no-such-option"],
                      ["snapshot"], ["snapshot", "-o", "x", "--last", "soon"], ["alert"], ["status", "extra"],
                      ["start", "--circular", "2M", "--oneshot", "2M"], ["serve", "--group", "no-such-group"]):
            done = self.command(*words)
            self.assertEqual(done.returncode, 2, f"{words}: {done.stderr}")
            self.assertIn("fxt-record: error: ", done.stderr)


class Protocol(Session):
    def go_client(self):
        """The path of a client that shares nothing with ours."""
        if not shutil.which("go") or not os.path.isdir(os.path.join(GO_PATH, "src/github.com/varlink/go")):
            self.skipTest("no go with its varlink library (make deps DEPS=varlink)")
        source = os.path.join(ROOT, "tests/session/varlink_client/main.go")
        program = self.path("varlink_client")
        cache = os.path.join(BUILD, "go-cache")
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": GO_PATH, "GOCACHE": cache, "GOFLAGS": ""}
        built = subprocess.run(["go", "build", "-o", program, source], env=environment, capture_output=True, text=True,
                               check=False, timeout=300)
        self.assertEqual(built.returncode, 0, built.stderr)
        return program

    def test_every_call_in_every_state_by_another_client(self):
        program = self.go_client()
        self.serve()
        done = run(program, self.socket)
        self.assertEqual((done.returncode, done.stdout), (0, "all as the table says\n"))

    def test_every_call_while_it_stops_and_ends(self):
        program = self.go_client()
        self.serve()
        for state, call in (("STOPPING", "StopTracing"), ("TERMINATING", "TerminateTracing")):
            holder = self.client()
            holder.call("InitializeTracing", CIRCULAR)
            holder.call("StartTracing")
            # It stays there while nobody takes what it writes.
            reading, writing = os.pipe()
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4096)
            holder.send(call, {"options": {"write_results": True}, "output": {"descriptor": 0}}, [writing])
            os.close(writing)
            self.assertTrue(eventually(lambda: self.status()["state"] == state))
            other = subprocess.Popen([program, self.socket, state], stdout=subprocess.PIPE, text=True)
            self.addCleanup(other.kill)
            asked = other.stdout.readline()
            with open(reading, "rb") as pipe, open(self.path(f"{state}.fxt"), "wb") as file:
                shutil.copyfileobj(pipe, file)
            written = holder.receive()["parameters"]
            self.assertEqual(written.get("result", written)["written"]["bytes"],
                             os.path.getsize(self.path(f"{state}.fxt")))
            self.assertEqual((asked, other.communicate(timeout=LIMIT_S)[0]), ("asked\n", "all as the table says\n"))
            self.check(f"{state}.fxt")
            self.assertEqual(self.status()["state"], "READY")

    def test_every_call_while_it_starts(self):
        """Further categories are other programs: loading them takes its time."""
        self.serve()
        calls = {"InitializeTracing": (CIRCULAR, f"{INTERFACE}.ALREADY_INITIALIZED"),
                 "StartTracing": ({}, f"{INTERFACE}.ALREADY_STARTED"), "StopTracing": ({}, None),
                 "TerminateTracing": ({}, None), "SendAlert": ({"alert_name": "x"}, None), "GetStatus": ({}, None),
                 "TakeSnapshot": ({"output": {"path": self.path("a.fxt")}}, None)}
        seen = set()
        for method, (parameters, error) in calls.items():
            starter, caller, watcher = self.client(), self.client(), self.client()
            starter.call("InitializeTracing", CIRCULAR)
            watcher.send("WatchSessionState", more=True)
            watcher.receive()
            starter.send("StartTracing", {"options": {"additional_categories": ["softirq"]}})
            state = watcher.receive()["parameters"]["state"]
            seen.add(state)
            answer = caller.call(method, parameters)
            self.assertEqual(answer.get("error"), error, f"{method}: {answer}")
            # One that is ended at once was started before.
            self.assertEqual(starter.receive(), {"parameters": {}}, method)
            caller.call("TerminateTracing")
            for client in (starter, caller, watcher):
                client.close()
        self.assertEqual(seen, {"STARTING"})
        self.check("a.fxt")

    def test_further_categories_at_the_start(self):
        self.serve()
        client = self.client()
        client.call("InitializeTracing", CIRCULAR)
        self.assertEqual(client.call("StartTracing", {"options": {"additional_categories": ["softirq"]}}),
                         {"parameters": {}})
        self.assertEqual([each["name"] for each in self.status()["categories"]], ["sched", "softirq"])
        self.assertTrue(eventually(lambda: all(each["events"] > 20 for each in self.status()["categories"])))
        client.call("StopTracing")
        # Other programs have other buffers.
        more = {"buffer_disposition": "RETAIN", "additional_categories": ["irq"]}
        self.assertEqual(client.call("StartTracing", {"options": more})["error"], f"{INTERFACE}.NOT_SUPPORTED")
        # The same ones once more are none that are further.
        more["additional_categories"] = ["softirq"]
        self.assertEqual(client.call("StartTracing", {"options": more}), {"parameters": {}})
        client.call("StopTracing", {"options": {"write_results": True}, "output": {"path": self.path("a.fxt")}})
        self.check("a.fxt")
        self.assertRegex(self.dump("a.fxt", "--type", "begin"), "softirq")
        more = {"buffer_disposition": "CLEAR_ALL", "additional_categories": ["irq"]}
        self.assertEqual(client.call("StartTracing", {"options": more}), {"parameters": {}})
        self.assertEqual([each["name"] for each in self.status()["categories"]], ["sched", "irq", "softirq"])

    def test_no_categories_are_all(self):
        """As the document has it; not to name any is another thing."""
        self.serve()
        for categories, recorded in ((None, ["sched", "task", "log"]),
                                     ([], ["sched", "task", "log", "irq", "softirq", "syscall"])):
            client = self.client()
            client.call("InitializeTracing", {"config": {"categories": categories, "buffering_mode": "CIRCULAR"}})
            self.assertEqual([each["name"] for each in self.status()["categories"]], recorded)
            client.call("TerminateTracing")

    def test_plain_json(self):
        server = self.serve()
        client = self.client()
        self.assertEqual(client.call("StartTracing")["error"], f"{INTERFACE}.NOT_INITIALIZED")
        self.assertEqual(client.call("InitializeTracing", CIRCULAR), {"parameters": {}})
        self.assertEqual(client.call("StartTracing", {"options": {"buffer_disposition": "CLEAR_ALL"}}),
                         {"parameters": {}})
        with open(self.path("a.fxt"), "wb") as file:
            written = client.call("TakeSnapshot", {"output": {"descriptor": 0}}, [file.fileno()])
        self.assertEqual(written["parameters"]["written"]["bytes"], os.path.getsize(self.path("a.fxt")))
        self.check("a.fxt")
        stopped = client.call("StopTracing", {"options": {"write_results": True}, "output": {"path": self.path("b.fxt")}})
        self.assertGreater(stopped["parameters"]["written"]["bytes"], 0)
        self.check("b.fxt")
        ended = client.call("TerminateTracing")
        self.assertEqual(ended, {"parameters": {"result": {"written": None}}})
        # "A bad request will terminate the connection."
        refused = client.call("InitializeTracing", {"config": {"buffering_mode": "ROUND"}})
        self.assertEqual(refused["error"], "org.varlink.service.InvalidParameter")
        with self.assertRaises(ConnectionError):
            client.call("GetStatus")
        client.close()
        self.assertEqual(self.ends(server), (0, "", ""))

    def test_what_a_start_keeps(self):
        """Events of the run before, and who had ended by then, by each disposition."""
        self.serve()
        for disposition, has_events, has_names in (("RETAIN", True, True), ("CLEAR_NONDURABLE", False, True),
                                                   ("CLEAR_ALL", False, False)):
            name = f"before-{disposition}"[:15]
            path = self.path(f"{disposition}.fxt")
            # Who has ended is kept for a second: a machine may be too busy to start again within it.
            for _ in range(20):
                client = self.client()
                client.call("InitializeTracing", CIRCULAR)
                client.call("StartTracing", {"options": {"buffer_disposition": "CLEAR_ALL"}})
                subprocess.run(["bash", "-c", f"printf %s '{name}' >/proc/self/comm; read -t 0.02 <> <(:)"], check=False)
                client.call("StopTracing")
                self.assertEqual(client.call("StartTracing", {"options": {"buffer_disposition": disposition}}),
                                 {"parameters": {}})
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                client.call("TerminateTracing", {"options": {"write_results": True}, "output": {"path": path}})
                client.close()
                self.check(f"{disposition}.fxt")
                dump = self.dump(f"{disposition}.fxt")
                found = (name in self.dump(f"{disposition}.fxt", "--type", "switch"), name in dump)
                if found == (has_events, has_names):
                    break
            self.assertEqual(found, (has_events, has_names), disposition)
            # The hole between the runs is shown where both are in the file.
            marks = self.dump(f"{disposition}.fxt", "--type", "instant")
            self.assertEqual((marks.count("stopped"), marks.count("started")), (2, 1) if has_events else (1, 0))

    def test_who_may_control(self):
        recorder = self.path("recorder")
        shutil.copy(self.recorder, recorder)
        os.chmod(recorder, 0o755)
        theirs = self.path("theirs")
        os.mkdir(theirs)
        os.chown(theirs, NOBODY, NOBODY)
        self.recorder = recorder
        nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        server = self.serve()
        self.assertEqual(stat.S_IMODE(os.stat(self.socket).st_mode), 0o600)
        self.assertIn("no right to control", self.refused("status", **nobody))
        # Who gets at the socket all the same is told by whom he is.
        os.chmod(self.socket, 0o666)
        self.assertIn("PermissionDenied", self.refused("status", **nobody))
        self.ends(server)
        self.serve("--group", grp.getgrgid(NOBODY).gr_name)
        made = os.stat(self.socket)
        self.assertEqual((stat.S_IMODE(made.st_mode), made.st_gid), (0o660, NOBODY))
        self.do("start", **nobody)
        self.do("snapshot", "-o", os.path.join(theirs, "a.fxt"), **nobody)
        self.assertEqual(os.stat(os.path.join(theirs, "a.fxt")).st_uid, NOBODY)
        # Neither by the command nor by a path: what they may not write, they may not write.
        self.assertIn("cannot write", self.refused("snapshot", "-o", self.path("b.fxt"), **nobody))
        call = "import json,socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); " \
               f"s.sendall(json.dumps({{'method': '{INTERFACE}.TakeSnapshot', " \
               "'parameters': {'output': {'path': sys.argv[2]}}}).encode() + b'\\0'); print(s.recv(65536))"
        python = "/usr/bin/python3"
        refused = run(python, "-c", call, self.socket, self.path("b.fxt"), **nobody)
        self.assertIn("Permission denied", refused.stdout, refused.stderr)
        written = run(python, "-c", call, self.socket, os.path.join(theirs, "c.fxt"), **nobody)
        self.assertIn("bytes", written.stdout, written.stderr)
        self.assertEqual(os.stat(os.path.join(theirs, "c.fxt")).st_uid, NOBODY)
        self.assertFalse(os.path.exists(self.path("b.fxt")))


class Losses(Session):
    """Whatever goes away: each with its message, and nothing hangs."""

    def test_killed(self):
        server = self.serve("--circular", "2M")
        server.kill()
        server.wait()
        self.assertTrue(os.path.exists(self.socket))
        self.assertIn("no controller runs", self.refused("status"))
        done = self.start()
        self.assertIn(f"removed {self.socket}", done.stderr)
        self.do("cancel")

    def test_killed_in_the_foreground(self):
        def record():
            command = [self.recorder, "--circular", "2M", "--trigger", "alert x", "--socket", self.socket, "-o",
                       self.path("x-%n.fxt")]
            recording = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            self.addCleanup(recording.communicate)
            self.addCleanup(recording.kill)
            said = recording.stderr.readline()
            while "recording into" not in said.splitlines()[-1]:
                said += recording.stderr.readline()
            return recording, said
        before = os.listdir(self.folder)
        killed, said = record()
        self.assertNotIn("removed", said)
        killed.kill()
        killed.wait()
        self.assertIn("no controller runs", self.refused("alert", "x"))
        again, said = record()
        self.assertIn(f"removed {self.socket}", said)
        self.do("alert", "x")
        self.assertTrue(eventually(lambda: os.path.exists(self.path("x-1.fxt"))))
        self.check("x-1.fxt")
        again.kill()
        again.wait()
        self.assertIn(f"removed {self.socket}", self.start().stderr)
        self.do("cancel")
        self.ended_by_itself()
        self.assertEqual(sorted(os.listdir(self.folder)), sorted([*before, "control.lock", "x-1.fxt"]))

    def test_two_controllers(self):
        self.serve()
        self.assertIn("another controller serves", self.refused("serve"))
        self.assertEqual(self.status()["state"], "READY")
        # What is no socket is not removed.
        file = self.path("file")
        with open(file, "w", encoding="utf-8"):
            pass
        self.socket = file
        self.assertIn("is no socket", self.refused("serve"))

    def test_disk_full(self):
        small = self.small_disk()
        self.start()
        # More than fits: a switch takes 16 bytes.
        for _ in range(4000):
            time.sleep(0.0001)
        self.assertIn("No space left on device", self.refused("snapshot", "-o", f"{small}/a.fxt"))
        self.assertEqual(self.status()["state"], "STARTED")
        said = self.refused("stop", "-o", f"{small}/a.fxt")
        self.assertIn("No space left on device", said)
        self.assertIn("has its events still", said)
        self.assertEqual((self.status()["state"], os.listdir(small)), ("STOPPED", []))
        self.do("stop", "-o", self.path("a.fxt"))
        self.check("a.fxt")

    def small_disk(self):
        small = self.path("small")
        os.mkdir(small)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", small], check=True)
        return small

    def test_disk_full_for_a_trigger(self):
        small = self.small_disk()
        server = self.serve("--circular", "2M", "--trigger", "alert x", "-o", f"{small}/x-%n.fxt")
        for _ in range(4000):
            time.sleep(0.0001)
        self.do("alert", "x")
        self.assertIn("alert x", server.stderr.readline())
        self.assertIn("No space left on device", server.stderr.readline())
        self.assertEqual(self.status()["triggers"], [{"condition": "alert x", "fired": 1, "suppressed": 0, "files": 0}])
        self.assertEqual((self.status()["state"], os.listdir(small)), ("STARTED", []))
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")

    def test_disk_full_while_it_streams(self):
        small = self.small_disk()
        self.start("--streaming", "-c", "sched", "-o", f"{small}/a.fxt")

        def stopped():
            for _ in range(200):
                time.sleep(0.0001)
            return self.status()["state"] == "STOPPED"
        self.assertTrue(eventually(stopped))
        self.assertIn("No space left on device", self.status()["reason"])
        self.assertIn("No space left on device", self.refused("stop"))
        self.ended_by_itself()
        self.assertEqual(run(os.path.join(BUILD, "fxt"), "info", f"{small}/a.fxt").returncode, 0, "up to there")

    def on_a_terminal(self, *words):
        """A command whose terminal is the other end."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execl(self.recorder, "fxt-record", *words, "--socket", self.socket)
        self.addCleanup(self.gone, pid)
        return pid, terminal

    def test_terminal_of_a_view_gone(self):
        self.serve("--circular", "2M")
        pid, terminal = self.on_a_terminal("status", "--watch")
        self.assertTrue(eventually(lambda: b"STARTED" in os.read(terminal, 4096)))
        os.close(terminal)
        os.waitpid(pid, 0)
        self.assertEqual(self.status()["state"], "STARTED")

    def test_terminal_of_the_controller_gone(self):
        pid, terminal = self.on_a_terminal("serve", "--circular", "2M")
        self.assertTrue(eventually(lambda: b"READY" in os.read(terminal, 4096)))
        self.assertEqual(self.status()["state"], "STARTED")
        os.close(terminal)
        os.waitpid(pid, 0)
        self.assertFalse(os.path.exists(self.socket))

    def test_terminal_gone(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execl(self.recorder, "fxt-record", "start", "--socket", self.socket)
        with contextlib.suppress(OSError):
            while os.read(terminal, 4096):
                pass
        os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        status = self.status()
        self.addCleanup(self.gone, status["pid"])
        self.assertEqual(status["state"], "STARTED")
        self.do("cancel")

    def test_client_gone(self):
        self.start()
        # While its snapshot is written to a pipe that nobody empties, and after half a call.
        reading, writing = os.pipe()
        client = self.client()
        client.send("TakeSnapshot", {"output": {"descriptor": 0}}, [writing])
        half = self.client()
        half.socket.sendall(b'{"method":"')
        os.close(writing)
        client.close()
        half.close()
        os.close(reading)
        self.assertEqual(self.status()["state"], "STARTED")
        self.do("snapshot", "-o", self.path("a.fxt"))
        self.check("a.fxt")

    def test_snapshot_command_killed(self):
        self.start()
        before = sorted(os.listdir(self.folder))
        controller = self.status()["pid"]
        os.kill(controller, signal.SIGSTOP)
        try:
            command = subprocess.Popen([self.recorder, "snapshot", "-o", self.path("a.fxt"), "--socket", self.socket])
            self.addCleanup(command.wait)

            def has_asked():
                with open(f"/proc/{command.pid}/wchan", encoding="ascii") as file:
                    return "poll" in file.read()
            self.assertTrue(eventually(has_asked))
            command.kill()
            command.wait()
        finally:
            os.kill(controller, signal.SIGCONT)
        self.assertEqual(self.status()["state"], "STARTED")
        self.do("snapshot", "-o", self.path("b.fxt"))
        self.check("b.fxt")
        os.unlink(self.path("b.fxt"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_two_sessions(self):
        self.start()
        second = self.refused("start", "--circular", "4M")
        self.assertIn("ALREADY_INITIALIZED", second)
        self.assertIn("fxt-record stop or cancel", second)
        # Which changed nothing.
        self.assertEqual((self.status()["state"], self.status()["buffer_bytes"] <= 2 << 20), ("STARTED", True))
        self.assertIn("another controller", self.refused("serve"))
        # A recording into a file is another thing, and may go on beside it.
        done = run(self.recorder, "-q", "-o", self.path("a.fxt"), "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.do("cancel")

    def test_socket_directory_gone(self):
        self.socket = self.path("folder/control")
        server = self.serve("--circular", "2M")
        shutil.rmtree(self.path("folder"))
        self.assertTrue(eventually(lambda: os.path.exists(self.socket) and
                                   self.command("status").returncode == 0))
        self.assertEqual(self.status()["state"], "STARTED")
        code, _, said = self.ends(server)
        self.assertEqual(code, 0)
        self.assertIn("was removed; made it again", said)
        self.assertFalse(os.path.exists(self.socket))

    def test_service_manager(self):
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.settimeout(LIMIT_S)
        notify.bind(self.path("notify"))
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(self.socket)
        listening.listen()

        # As systemd does: the socket is descriptor 3, and meant for this process.
        shell = 'exec 3<&$0; exec env LISTEN_PID=$$ LISTEN_FDS=1 "$@"'
        server = subprocess.Popen(["bash", "-c", shell.replace("$0", str(listening.fileno())), "bash", self.recorder,
                                   "serve"], pass_fds=[listening.fileno()], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "NOTIFY_SOCKET": self.path("notify")})
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        self.assertEqual(notify.recv(100), b"READY=1")
        self.assertEqual(self.status()["state"], "READY")
        code, out, said = self.ends(server)
        self.assertEqual((code, out, said), (0, "READY\n", ""))
        self.assertEqual(notify.recv(100), b"STOPPING=1")
        notify.close()
        listening.close()
        self.assertTrue(os.path.exists(self.socket), "it is systemd's")


if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        BUILD = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
