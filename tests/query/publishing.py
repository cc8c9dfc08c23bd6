# SPDX-License-Identifier: BSD-2-Clause
"""`fxt export` leaves either all new tables or all old ones."""

import contextlib
import gzip
import os
import shutil
import signal
import subprocess
import time
import unittest

from harness import DEADLINE_S, FXT
from traces import Traces, documented_tables, fxt, make_trace


def contents(folder):
    """The bytes of each file by name, hidden files included."""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


class Publishing(Traces):
    def old_tables(self, name):
        """Makes a folder with an export. Returns it and its contents."""
        folder = self.path(name)
        self.assertEqual(fxt("export", "--format", "csv", self.traces[0], "-o", folder).returncode, 0)
        return folder, contents(folder)

    def larger(self):
        path = self.path("larger.fxt")
        if not os.path.exists(path):
            make_trace(path, "0.3")
        return path

    @contextlib.contextmanager
    def small_disk(self, size):
        where = self.path("disk")
        os.makedirs(where, exist_ok=True)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", where], capture_output=True, check=False)
        if mounted.returncode != 0:
            raise unittest.SkipTest("mounting needs root")
        try:
            yield where
        finally:
            subprocess.run(["umount", where], check=True)

    def test_a_full_disk_changes_nothing(self):
        for form in ("csv", "tsv", "rowbinary"):
            with self.subTest(form), self.small_disk("12m") as disk:
                folder = os.path.join(disk, "tables")
                self.assertEqual(fxt("export", "--format", form, self.traces[0], "-o", folder).returncode, 0)
                before = contents(folder)
                self.assertEqual(len(before), len(documented_tables()))
                done = fxt("export", "--format", form, self.larger(), "-o", folder)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr.decode(), r"\Afxt: error: cannot write [^\n]*No space left on device\n")
                self.assertEqual(contents(folder), before)
                done = fxt("export", "--format", form, self.larger(), "-o", os.path.join(disk, "fresh"))
                self.assertEqual(done.returncode, 2)
                self.assertEqual(os.listdir(disk), ["tables"])

    def test_a_full_disk_at_the_very_end_changes_nothing(self):
        # The last blocks of each table are written at the end. With some of these sizes the disk is full just then.
        sizes = contents(self.old_tables("sizes")[0])
        needed = sum(-(-len(data) // 4096) * 4096 for data in sizes.values())
        outcomes = set()
        for spare in range(-8, 40, 4):
            with self.small_disk(needed * 2 + spare * 4096) as disk:
                folder = os.path.join(disk, "tables")
                first = fxt("export", "--format", "csv", self.traces[0], "-o", folder)
                self.assertEqual(first.returncode, 0, first.stderr)
                before = contents(folder)
                stamps = {name: os.stat(os.path.join(folder, name)).st_ino for name in before}
                code = fxt("export", "--format", "csv", self.traces[0], "-o", folder).returncode
                after = {name: os.stat(os.path.join(folder, name)).st_ino for name in contents(folder)}
                outcomes.add(code)
                self.assertEqual(set(after), set(stamps))
                same = {name for name in after if after[name] == stamps[name]}
                self.assertEqual(same, set(stamps) if code != 0 else set())
        self.assertEqual(outcomes, {0, 2})

    def begun(self, *words):
        """Starts an export that has written rows and waits for the rest of its trace."""
        with open(self.larger(), "rb") as file:
            trace = file.read()
        # A background job of a shell ignores SIGINT, and so do its children.
        process = subprocess.Popen([FXT, "export", *words, "-"], stdin=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        # A pipe holds 64 KiB. The process has read the rest and has written its rows except for the last buffers.
        process.stdin.write(trace[:len(trace) // 2])
        process.stdin.flush()
        return process

    def test_a_killed_export_keeps_the_old_tables(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            for form in ("csv", "rowbinary", "sqlite"):
                with self.subTest(form=form, signal=number):
                    folder, before = self.old_tables(f"killed-{form}-{number}")
                    output = os.path.join(folder, "trace.db") if form == "sqlite" else folder
                    process = self.begun("--format", form, "-o", output)
                    process.send_signal(number)
                    self.assertEqual(process.wait(timeout=DEADLINE_S), -number)
                    with contextlib.suppress(BrokenPipeError):
                        process.stdin.close()
                    self.assertEqual(contents(folder), before)

    def test_half_a_trace_makes_all_tables(self):
        folder, before = self.old_tables("half")
        process = self.begun("--format", "csv", "-o", folder)
        process.stdin.close()
        process.wait(timeout=DEADLINE_S)
        after = contents(folder)
        self.assertEqual(set(after), set(before))
        self.assertGreater(len(after["slices.csv"]), len(before["slices.csv"]))

    def test_tables_are_of_one_export_after_any_kill(self):
        """After a kill at any time the folder has all old tables or all new ones. In the middle of the renames the other
        version of a table is in a hidden file."""
        folder, before = self.old_tables("any-time")
        new = self.path("any-time-new")
        words = ["export", "--format", "csv", "--table", "slices,idle,waits", self.traces[-1], "-o"]
        self.assertEqual(fxt(*words, new).returncode, 0)
        wanted = contents(new)
        begin = time.monotonic()
        fxt(*words, new)
        length = time.monotonic() - begin
        old = {name: before[name] for name in wanted}
        for step in range(40):
            shutil.rmtree(folder)
            os.mkdir(folder)
            for name, data in old.items():
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
            with subprocess.Popen([FXT, *words, folder], stderr=subprocess.DEVNULL) as process:
                time.sleep(length * step / 36)
                process.kill()
            found = contents(folder)
            shown = {name: data for name, data in found.items() if not name.startswith(".fxt-")}
            if shown not in (old, wanted):
                hidden = [data for name, data in found.items() if name.startswith(".fxt-")]
                for name in wanted:
                    self.assertIn(shown[name], (old[name], wanted[name]))
                    other = wanted[name] if shown[name] == old[name] else old[name]
                    self.assertIn(other, hidden)

    def test_a_capture_is_exported_once(self):
        path = self.traces[0]
        link, copy, packed = (self.path(name) for name in ("link.fxt", "copy.fxt", "packed.fxt.gz"))
        os.symlink(path, link)
        shutil.copyfile(path, copy)
        with open(path, "rb") as source, gzip.open(packed, "wb") as file:
            file.write(source.read())
        folder = os.path.dirname(path)
        for other in (path, os.path.join(folder, ".", os.path.basename(path)), link, copy, packed):
            for form in ("sqlite", "csv"):
                output = self.path("twice")
                done = fxt("export", "--format", form, path, other, "-o", output)
                with self.subTest(other=other, form=form):
                    self.assertEqual(done.returncode, 2)
                    self.assertRegex(done.stderr.decode(), r"\Afxt: error: [^\n]*(given twice|the same capture)[^\n]*\n(fxt: hint: [^\n]*\n)?\Z")
                    self.assertFalse(os.path.exists(output))
        with open(path, "rb") as file:
            done = fxt("export", path, "-", "-o", self.path("twice"), stdin=file.read())
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"the same capture", done.stderr)

    def test_options_without_effect_are_refused(self):
        path, output = self.traces[0], self.path("x.db")
        for words in (["--label", "v2", path, "-o", output], ["--host", "h", path, "-o", output],
                      ["--database", "d", path, "-o", output], ["--cluster", "c", path, "-o", output],
                      ["--clickhouse", "http://127.0.0.1:1", "--format", "csv", path],
                      ["--clickhouse", "http://127.0.0.1:1", "--gzip", path],
                      ["--clickhouse", "http://127.0.0.1:1", "--cluster", "c", path],
                      ["--print-schema", "--label", "v2"], ["--print-schema", "--table", "slices"], ["--print-schema", path]):
            done = fxt("export", *words)
            with self.subTest(words):
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertRegex(done.stderr.decode(), r"\Afxt: error: (--[a-z]+|FILE) has no effect with")
        self.assertFalse(os.path.exists(output))
        done = fxt("export", "--print-schema", "--database", "d", "--cluster", "c")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
