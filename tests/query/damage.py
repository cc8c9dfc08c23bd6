# SPDX-License-Identifier: BSD-2-Clause
"""Files that are cut, corrupt or hostile."""

import struct

from traces import Traces, ask, documented_tables, fxt


class Damage(Traces):
    """Any bytes lead to an answer or to one clear error."""

    def trace(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def test_a_truncated_file(self):
        with open(self.traces[0], "rb") as file:
            data = file.read()
        path = self.trace("cut.fxt", data[:len(data) // 2 + 3])
        done = fxt("query", "--csv", path, "SELECT truncated FROM captures")
        self.assertEqual((done.returncode, done.stdout), (0, b"truncated\n1\n"))
        self.assertIn(b"cut short", done.stderr)

    def test_files_that_are_no_traces(self):
        for name, data in (("empty", b""), ("text", b"SELECT 1;" * 100), ("magic", struct.pack("<Q", 0x0016547846040010)),
                           ("zeros", struct.pack("<Q", 0x0016547846040010) + bytes(64))):
            path = self.trace(name, data)
            for words in (["query", path, "SELECT count(*) FROM slices"], ["export", path, "-o", self.path("damage.db")]):
                done = fxt(*words)
                self.assertEqual(done.returncode, 0 if name == "magic" else 2, (name, done.stderr))
                self.assertLessEqual(len(done.stderr.splitlines()), 2, done.stderr)
        done = fxt("query", "/dev/null", "SELECT 1")
        self.assertEqual(done.returncode, 2)

    def test_flipped_bytes(self):
        with open(self.traces[-1], "rb") as file:
            data = bytearray(file.read()[:200_000])
        for start in range(24, len(data), 7919):
            data[start] ^= 0xff
        path = self.trace("flipped.fxt", bytes(data))
        for table in documented_tables():
            done = fxt("query", "--csv", path, f"SELECT * FROM {table}")
            self.assertIn(done.returncode, (0, 2), table)
        self.assertIn(fxt("export", "--format", "tsv", path, "-o", self.path("flipped")).returncode, (0, 2))

    def test_hostile_names(self):
        name = b"\x1b[2Jx\n\xff,\"y\t"
        padded = name + bytes(-len(name) % 8)
        words = [struct.pack("<Q", 0x0016547846040010), struct.pack("<QQ", 1 | 2 << 4, 1_000_000_000)]
        for koid in (7, 8):
            words.append(struct.pack("<QQ", 7 | (2 + len(padded) // 8) << 4 | 2 << 16 | (0x8000 | len(name)) << 24, koid) + padded)
        for time, out, into in ((100, 7, 8), (200, 8, 7)):
            words.append(struct.pack("<QQQQQQ", 8 | 6 << 4 | 3 << 24 | 120 << 44 | 120 << 52, time, out, out, into, into))
        path = self.trace("hostile.fxt", b"".join(words))
        clean = "\\u001b[2Jx\\u000a\\xff,\"y\\u0009"
        self.assertEqual(ask(path, "SELECT tid, thread, dur, length FROM slices ORDER BY ts, tid"),
                         [[7, clean, None, 0], [8, clean, 100, 100], [7, clean, None, 0]])
        for options in ([], ["--csv"], ["--markdown"]):
            out = fxt("query", *options, path, "SELECT thread FROM slices").stdout
            self.assertNotIn(b"\x1b", out)
            self.assertNotIn(b"\xff", out)
