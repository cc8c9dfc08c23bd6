# SPDX-License-Identifier: BSD-2-Clause
"""Sessions over the socket: by JSON and by an independent varlink client."""

import contextlib
import grp
import os
import shutil
import stat
import subprocess
import time

from harness import BUILD, DEADLINE_S, ROOT, eventually, run
from sessions import CIRCULAR, GO_PATH, INTERFACE, NOBODY, Session


class Protocol(Session):
    def go_client(self):
        """Builds a client in Go, which shares no code with ours. Returns its path."""
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

    def test_every_call_while_it_starts(self):
        """Additional categories load more programs, which takes a while."""
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
            # The start succeeds even if the call ends the session at once.
            self.assertEqual(starter.receive(), {"parameters": {}}, method)
            caller.call("TerminateTracing")
            for client in (starter, caller, watcher):
                client.close()
        self.assertEqual(seen, {"STARTING"})
        self.check("a.fxt")

    def test_additional_categories_at_the_start(self):
        self.serve()
        client = self.client()
        client.call("InitializeTracing", CIRCULAR)
        self.assertEqual(client.call("StartTracing", {"options": {"additional_categories": ["softirq"]}}),
                         {"parameters": {}})
        self.assertEqual([each["name"] for each in self.status()["categories"]], ["sched", "softirq"])
        self.assertTrue(eventually(lambda: all(each["events"] > 20 for each in self.status()["categories"])))
        client.call("StopTracing")
        # Other categories need other buffers, so RETAIN is impossible.
        more = {"buffer_disposition": "RETAIN", "additional_categories": ["irq"]}
        self.assertEqual(client.call("StartTracing", {"options": more})["error"], f"{INTERFACE}.NOT_SUPPORTED")
        # The same categories again are no additional ones.
        more["additional_categories"] = ["softirq"]
        self.assertEqual(client.call("StartTracing", {"options": more}), {"parameters": {}})
        client.call("StopTracing", {"options": {"write_results": True}, "output": {"path": self.path("a.fxt")}})
        self.check("a.fxt")
        self.assertRegex(self.dump("a.fxt", "--type", "begin"), "softirq")
        more = {"buffer_disposition": "CLEAR_ALL", "additional_categories": ["irq"]}
        self.assertEqual(client.call("StartTracing", {"options": more}), {"parameters": {}})
        self.assertEqual([each["name"] for each in self.status()["categories"]], ["sched", "irq", "softirq"])

    def test_an_empty_category_list_means_all(self):
        """An empty list means all categories, as the document says. No list means the default ones."""
        self.serve()
        recorded = []
        for categories in (None, []):
            client = self.client()
            client.call("InitializeTracing", {"config": {"categories": categories, "buffering_mode": "CIRCULAR"}})
            recorded.append([each["name"] for each in self.status()["categories"]])
            client.call("TerminateTracing")
        self.assertEqual(recorded[0], ["sched", "task", "log", "settings"])
        self.assertEqual(recorded[1][:7], ["sched", "task", "log", "wait", "irq", "softirq", "syscall"])
        self.assertIn("fault", recorded[1])
        # These need more than a ring of slots, or an argument.
        self.assertEqual(set(recorded[1]) & {"lbr", "stack", "probe", "tracepoint", "counter"}, set())

    def test_json_calls(self):
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

    def test_what_each_buffer_disposition_keeps(self):
        """Each disposition keeps or drops the events and the ended tasks of the run before."""
        self.serve()
        for disposition, has_events, has_names in (("RETAIN", True, True), ("CLEAR_NONDURABLE", False, True),
                                                   ("CLEAR_ALL", False, False)):
            name = f"before-{disposition}"[:15]
            path = self.path(f"{disposition}.fxt")
            # Ended tasks are kept for a second. A busy machine, or one with slow grace periods, may take longer to start again.
            in_time = False
            for _ in range(20):
                client = self.client()
                client.call("InitializeTracing", CIRCULAR)
                client.call("StartTracing", {"options": {"buffer_disposition": "CLEAR_ALL"}})
                begin = time.monotonic()
                subprocess.run(["bash", "-c", f"printf %s '{name}' >/proc/self/comm; read -t 0.02 <> <(:)"], check=False)
                client.call("StopTracing")
                self.assertEqual(client.call("StartTracing", {"options": {"buffer_disposition": disposition}}),
                                 {"parameters": {}})
                in_time |= time.monotonic() - begin < 1
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                client.call("TerminateTracing", {"options": {"write_results": True}, "output": {"path": path}})
                client.close()
                self.check(f"{disposition}.fxt")
                dump = self.dump(f"{disposition}.fxt")
                found = (name in self.dump(f"{disposition}.fxt", "--type", "switch"), name in dump)
                if found == (has_events, has_names):
                    break
            if not in_time and found != (has_events, has_names):
                self.skipTest(f"{disposition}: stop and start take longer here than ended tasks are kept")
            self.assertEqual(found, (has_events, has_names), disposition)
            # A file with both runs shows the gap between them.
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
        self.assertIn("no permission to control", self.refused("status", **nobody))
        # The controller checks the user of the connection, too.
        os.chmod(self.socket, 0o666)
        self.assertIn("PermissionDenied", self.refused("status", **nobody))
        self.ends(server)
        self.serve("--group", grp.getgrgid(NOBODY).gr_name)
        made = os.stat(self.socket)
        self.assertEqual((stat.S_IMODE(made.st_mode), made.st_gid), (0o660, NOBODY))
        self.do("start", **nobody)
        self.do("snapshot", "-o", os.path.join(theirs, "a.fxt"), **nobody)
        self.assertEqual(os.stat(os.path.join(theirs, "a.fxt")).st_uid, NOBODY)
        # The controller opens output files with the rights of the caller.
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
