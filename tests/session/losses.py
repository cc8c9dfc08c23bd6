# SPDX-License-Identifier: BSD-2-Clause
"""Sessions when a process, a disk, a terminal, a socket or a client disappears."""

import contextlib
import os
import pty
import shutil
import signal
import socket
import subprocess
import time

from harness import DEADLINE_S, FXT, eventually, run
from sessions import Session


class Losses(Session):
    """Each loss has its message, and nothing hangs."""

    def test_killed(self):
        server = self.serve("--circular", "2M")
        server.kill()
        server.wait()
        self.assertTrue(os.path.exists(self.socket))
        self.assertIn("no controller is running", self.refused("status"))
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
        self.assertIn("no controller is running", self.refused("alert", "x"))
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
        # The controller removes only a socket.
        file = self.path("file")
        with open(file, "w", encoding="utf-8"):
            pass
        self.socket = file
        self.assertIn("is not a socket", self.refused("serve"))

    def test_disk_full(self):
        small = self.small_disk()
        self.start()
        # More switches than the disk has room for: each takes 16 bytes.
        for _ in range(4000):
            time.sleep(0.0001)
        self.assertIn(f"cannot write {small}/a.fxt: No space left on device",
                      self.refused("snapshot", "-o", f"{small}/a.fxt"))
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
        self.assertEqual(run(FXT, "info", f"{small}/a.fxt").returncode, 0, "up to there")

    def test_disk_full_while_files_follow_each_other(self):
        small = self.small_disk()
        done = run(self.recorder, "--rotate", "1s", "-c", "sched,syscall", "-o", f"{small}/a-%n.fxt")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count(f"cannot write {small}/a-1.fxt: No space left on device"), 1, done.stderr)
        self.assertEqual(run(FXT, "info", f"{small}/a-1.fxt").returncode, 0, "up to there")

    def on_a_terminal(self, *words):
        """Starts a command on a pseudo-terminal. Returns its pid and the other end."""
        pid, terminal = pty.fork()
        if pid == 0:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored below nohup
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
        # One client disappears during its snapshot into a pipe, another after half a call.
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
        # The refused call changes nothing.
        self.assertEqual((self.status()["state"], self.status()["buffer_bytes"] <= 2 << 20), ("STARTED", True))
        self.assertIn("another controller", self.refused("serve"))
        # A recording into a file runs beside the session.
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
        self.assertIn("was removed; created it again", said)
        self.assertFalse(os.path.exists(self.socket))

    def test_service_manager(self):
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.settimeout(DEADLINE_S)
        notify.bind(self.path("notify"))
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(self.socket)
        listening.listen()

        # systemd passes the socket as descriptor 3 and names the process.
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
