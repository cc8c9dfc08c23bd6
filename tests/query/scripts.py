# SPDX-License-Identifier: BSD-2-Clause
"""Statements from the command line, a file and standard input, and statements that are refused."""

import os
import resource
import subprocess

from harness import DEADLINE_S, FXT
from traces import Traces, fxt

ONE_ERROR = r"\Afxt: error: [^\n]+\n(fxt: hint: [^\n]+\n)?\Z"


class Scripts(Traces):
    def script(self, data):
        path = self.path("script.sql")
        with open(path, "wb") as file:
            file.write(data)
        return path

    def refused(self, words, *arguments, **options):
        done = fxt("query", self.traces[0], *arguments, **options)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr.decode(), ONE_ERROR)
        self.assertRegex(done.stderr.decode(), words)
        return done.stdout

    def test_an_endless_script_is_refused(self):
        def less_memory():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        for stdin, arguments in ((subprocess.DEVNULL, ["-f", "/dev/zero"]), (None, [])):
            with open("/dev/zero", "rb") as zeros:
                done = subprocess.run([FXT, "query", self.traces[0], *arguments],
                                      stdin=stdin or zeros, capture_output=True, check=False, timeout=DEADLINE_S, preexec_fn=less_memory)
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            self.assertRegex(done.stderr.decode(), ONE_ERROR)
            self.assertIn(b"more than 64 MiB of statements", done.stderr)

    def test_an_endless_statement_is_refused(self):
        with subprocess.Popen(["yes", "';'"], stdout=subprocess.PIPE) as endless:
            done = subprocess.run([FXT, "query", self.traces[0]], stdin=endless.stdout,
                                  capture_output=True, check=False, timeout=DEADLINE_S)
            endless.stdout.close()
            endless.wait()
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
        self.assertIn(b"more than 64 MiB", done.stderr)

    def test_a_long_script_is_run(self):
        data = b"SELECT 1 AS a;\n" + b"-- " + b"x" * (60 << 20) + b"\nSELECT 2 AS b;\n"
        done = fxt("query", "--csv", "-f", self.script(data), self.traces[0])
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"a\n1\nb\n2\n", b""))

    def test_time_is_linear_in_the_script(self):
        data = b"CREATE TEMP TABLE t(a);\n" + b"INSERT INTO t VALUES(1);\n" * 100_000 + b"SELECT count(*) AS n FROM t;"
        for options, stdin in ((["-f", self.script(data)], None), ([], data)):
            before = os.times().children_user
            done = fxt("query", "--csv", *options, self.traces[0], stdin=stdin)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"n\n100000\n", b""))
            # Quadratic time would be minutes.
            self.assertLess(os.times().children_user - before, 30)

    def test_a_nul_byte_is_an_error(self):
        data = b"SELECT 1 AS a;\n\0SELECT 2 AS b;\n"
        self.assertEqual(self.refused("NUL byte", "-f", self.script(data)), b"")
        self.assertEqual(self.refused("NUL byte", "--csv", stdin=data), b"a\n1\n")
        self.refused("NUL byte", "-f", self.script("SELECT 1;".encode("utf-16")))

    def test_empty_statements_do_nothing(self):
        for arguments, stdin in (([""], b"SELECT 1;"), ([" -- a comment"], b""), (["-f", self.script(b"")], b"SELECT 1;"),
                                 (["-f", "/dev/null"], b"SELECT 1;"), ([], b"")):
            done = fxt("query", self.traces[0], *arguments, stdin=stdin)
            with self.subTest(arguments):
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"", b""))

    def test_files_that_cannot_be_read(self):
        self.refused("No such file", "-f", self.path("none.sql"))
        self.refused("No such file", "-f", "", stdin=b"SELECT 1;")
        self.refused("directory", "-f", self.folder)
        self.refused("-f excludes a statement", "-f", self.script(b"SELECT 1"), "SELECT 1")
        self.refused("-f excludes a statement", "-f", self.script(b"SELECT 1"), "")

    def test_a_script_from_a_pipe(self):
        done = subprocess.run(["bash", "-c", "exec \"$0\" query --csv -f <(echo 'SELECT 1 AS a') \"$1\"",
                               FXT, self.traces[0]], capture_output=True, check=False, timeout=DEADLINE_S)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"a\n1\n", b""))
