# SPDX-License-Identifier: BSD-2-Clause
"""`fxt query FILE` at a terminal."""

import os
import pty
import select
import signal
import time

from harness import DEADLINE_S, FXT, eventually
from traces import Traces, make_trace

PROMPT = "fxt> "
FURTHER = "...> "
# A query that takes hours.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


class Terminal:
    """The program on a pseudo-terminal."""

    def __init__(self, *words):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execv(FXT, ["fxt", *words])
        self.status = None

    def type(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, end):
        """Returns the output up to and including `end`."""
        # The two bytes of a line's end may come apart.
        shown = ""
        until = time.monotonic() + DEADLINE_S
        while not shown.replace("\r\n", "\n").endswith(end):
            if not select.select([self.fd], [], [], max(0, until - time.monotonic()))[0]:
                raise AssertionError(f"no {end!r} within {DEADLINE_S} s, but {shown!r}")
            try:
                part = os.read(self.fd, 65536)
            except OSError:  # the other side is closed
                part = b""
            if not part:
                raise AssertionError(f"it ended without {end!r}: {shown!r}")
            shown += part.decode()
        return shown.replace("\r\n", "\n")

    def rest(self):
        """Returns the output up to the end of the program."""
        shown = ""
        while select.select([self.fd], [], [], DEADLINE_S)[0]:
            try:
                part = os.read(self.fd, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part.decode()
        return shown.replace("\r\n", "\n")

    def wait(self):
        """Waits for the end of the program and returns its exit status."""
        def ended():
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                self.status = os.waitstatus_to_exitcode(status)
            return self.status is not None

        if not eventually(ended):
            raise AssertionError("the program did not end")
        return self.status

    def cpu_seconds(self):
        with open(f"/proc/{self.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)


class Prompt(Traces):
    def start(self, *options, trace=None):
        terminal = Terminal("query", *options, trace or self.traces[0])
        self.addCleanup(terminal.close)
        self.assertEqual(terminal.read_until(PROMPT), PROMPT)
        return terminal

    def test_a_statement_over_several_lines(self):
        terminal = self.start("--csv")
        for line in ("SELECT 1 AS a,", "  'x;", "y' AS b -- ;"):
            terminal.type(line + "\n")
            self.assertEqual(terminal.read_until(FURTHER), f"{line}\n{FURTHER}")
        terminal.type(";\n")
        self.assertEqual(terminal.read_until(PROMPT), f';\na,b\n1,x;\\u000ay\n{PROMPT}')

    def test_an_error_keeps_the_prompt(self):
        terminal = self.start("--csv")
        terminal.type("SELECT * FROM missing;\n")
        self.assertRegex(terminal.read_until(PROMPT), "fxt: error: no such table: missing\nfxt: hint: the tables are: captures, ")
        terminal.type("SELECT 2 AS b;\n")
        self.assertEqual(terminal.read_until(PROMPT), f"SELECT 2 AS b;\nb\n2\n{PROMPT}")

    def test_lines_with_a_dot(self):
        terminal = self.start()
        terminal.type(".tables\n")
        self.assertIn("slices", terminal.read_until(PROMPT))
        terminal.type(".schema idle\n")
        self.assertIn("dur", terminal.read_until(PROMPT))
        terminal.type(".what\n")
        self.assertIn("Statements end with a semicolon", terminal.read_until(PROMPT))
        terminal.type(".quit\n")
        self.assertEqual((terminal.rest(), terminal.wait()), (".quit\n", 0))

    def test_ctrl_d_ends_the_program(self):
        terminal = self.start()
        terminal.type("\x04")
        self.assertEqual((terminal.rest(), terminal.wait()), ("\n", 0))

    def test_ctrl_d_runs_an_unfinished_statement(self):
        terminal = self.start("--csv")
        terminal.type("SELECT 3 AS c\n")
        terminal.read_until(FURTHER)
        terminal.type("\x04")
        self.assertEqual((terminal.rest(), terminal.wait()), ("\nc\n3\n", 0))

    def check_ctrl_c(self, terminal, *lines):
        for line in lines[:-1]:
            terminal.type(line + "\n")
            terminal.read_until(FURTHER)
        idle = terminal.cpu_seconds()
        terminal.type(lines[-1] + "\n")
        self.assertTrue(eventually(lambda: terminal.cpu_seconds() > idle + 0.1))
        terminal.type("\x03")
        self.assertRegex(terminal.read_until(PROMPT), r"fxt: error: interrupted\n")
        terminal.type("SELECT 4 AS d;\n")
        self.assertEqual(terminal.read_until(PROMPT), f"SELECT 4 AS d;\nd\n4\n{PROMPT}")
        terminal.type("\x04")
        self.assertEqual((terminal.rest(), terminal.wait()), ("\n", 0))

    def test_ctrl_c_cancels_a_computation(self):
        self.check_ctrl_c(self.start("--csv"), ENDLESS + ";")

    def test_ctrl_c_cancels_a_scan(self):
        large = self.path("large.fxt")
        make_trace(large, "0.5")
        scans = ["SELECT * FROM idle WHERE cpu = 12345 UNION ALL"] * 400
        self.check_ctrl_c(self.start("--csv", trace=large), *scans, "SELECT * FROM idle WHERE cpu = 12345;")

    def test_ctrl_c_drops_an_unfinished_statement(self):
        terminal = self.start("--csv")
        terminal.type("SELECT 5,\n")
        terminal.read_until(FURTHER)
        terminal.type("nonsense")
        terminal.type("\x03")
        terminal.read_until(PROMPT)
        terminal.type("SELECT 6 AS e;\n")
        self.assertEqual(terminal.read_until(PROMPT), f"SELECT 6 AS e;\ne\n6\n{PROMPT}")
        terminal.type("\x03")
        terminal.read_until(PROMPT)
        terminal.type("\x04")
        self.assertEqual((terminal.rest(), terminal.wait()), ("\n", 0))
