#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds the includes of the sources against the table of rooms, userspace/layers."""

import collections
import os
import re
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import ROOT  # noqa: E402

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.MULTILINE)
# Headers of the kernel and of libbpf.
KERNEL = re.compile(r"^(linux|asm|asm-generic|bpf)/")
LIBBPF_ROOM = "capture"
# Headers of these rooms may include kernel headers. import stores records of perf.data.
KERNEL_ROOMS = ("perf/file", "perf/live", "perf/record", "import", "capture", "capture/bpf", "capture/rings", "session", "tools/record", "tools/record/options", "tools/record/process")


def read_table(path):
    """Returns the rooms in order, each with the rooms that it may include."""
    table = collections.OrderedDict()
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            room, colon, others = line.partition(":")
            if not colon or room in table:
                raise ValueError(f"{path}:{number}: not 'ROOM: ROOM...', or a room for the second time")
            table[room] = others.split()
    return table


def faults_of_table(table):
    """Returns the entries that would allow circular includes."""
    faults = []
    seen = set()
    libraries = {}  # outermost folder -> the outermost folders that it may include, also through others
    for room, others in table.items():
        top = room.split("/")[0]
        libraries.setdefault(top, {top})
        for other in others:
            other_top = other.split("/")[0]
            if other not in seen:
                faults.append(f"{room} may include {other}, which does not stand above it")
            elif other_top != top and top in libraries[other_top]:
                faults.append(f"{room} may include {other}, but {other_top} may include {top}")
            else:
                for reached in libraries.values():
                    if top in reached:
                        reached |= libraries[other_top]
        seen.add(room)
    return faults


class Tree:
    """Sources and headers by room, with their includes."""

    def __init__(self, root):
        self.includes = {}  # path below userspace/ or include/ -> [(quote, what)]
        self.rooms = {}     # the same -> room
        for base in ("include", "userspace"):
            for folder, _, names in os.walk(os.path.join(root, base)):
                for name in names:
                    if name.endswith((".h", ".cc", ".c")):
                        path = os.path.relpath(os.path.join(folder, name), os.path.join(root, base))
                        with open(os.path.join(folder, name), encoding="utf-8") as file:
                            self.includes[path] = INCLUDE.findall(file.read())
                        self.rooms[path] = os.path.dirname(path)

    def faults(self, table):
        faults = []
        for path, includes in sorted(self.includes.items()):
            room = self.rooms[path]
            if room not in table:
                faults.append(f"{path}: the table has no room {room}")
                continue
            for quote, what in includes:
                if quote == '"':
                    other = os.path.dirname(what) or room
                    if other != room and other not in table[room]:
                        faults.append(f"{path} includes {what}: {room} may not include {other}")
                elif what.startswith("bpf/") and room.split("/")[0] != LIBBPF_ROOM:
                    faults.append(f"{path} includes <{what}>: only {LIBBPF_ROOM} knows libbpf")
        return faults

    def kernel_headers(self, path, seen=None):
        """Returns the kernel headers that `path` includes, directly or not."""
        seen = set() if seen is None else seen
        found = set()
        for quote, what in self.includes.get(path, []):
            if quote == "<" and KERNEL.match(what):
                found.add(what)
            elif quote == '"':
                other = what if "/" in what else f"{self.rooms[path]}/{what}"
                if other not in seen:
                    seen.add(other)
                    found |= self.kernel_headers(other, seen)
        return found


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = read_table(os.path.join(ROOT, "userspace/layers"))
        cls.tree = Tree(ROOT)

    def test_sources_are_found(self):
        self.assertGreater(len(self.tree.includes), 200)

    def test_table_has_no_circle(self):
        self.assertEqual(faults_of_table(self.table), [])

    def test_table_has_no_empty_room(self):
        generated = {"bpf"}
        self.assertEqual(set(self.table) - set(self.tree.rooms.values()) - generated, set())

    def test_includes_are_in_the_table(self):
        self.assertEqual(self.tree.faults(self.table), [])

    def test_libfxt_needs_the_standard_library_only(self):
        for path, includes in self.tree.includes.items():
            if self.tree.rooms[path] != "fxt" or not path.endswith(".h"):
                continue
            for quote, what in includes:
                self.assertEqual(quote == "<", re.fullmatch(r"[a-z_]+", what) is not None, f"{path} includes {what}")

    def test_headers_bring_no_kernel_headers(self):
        """Only the headers of KERNEL_ROOMS may include kernel headers."""
        for path in self.tree.includes:
            room = self.tree.rooms[path]
            if path.endswith(".h") and room not in KERNEL_ROOMS:
                self.assertEqual(self.tree.kernel_headers(path), set(), path)


class Rules(unittest.TestCase):
    """The rules above find violations."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def faults(self, table, **sources):
        table = read_table(self.write("table", table))
        for room, text in sources.items():
            self.write(f"userspace/{room.replace('__', '/')}/file.cc", text)
        return len(faults_of_table(table)), len(Tree(self.root).faults(table))

    def test_listed_edges_are_allowed(self):
        self.assertEqual(self.faults("a:\nb/c: a  # why\n", a='#include "a/x.h"\n#include "y.h"\n',
                                     b__c='#include "a/x.h"\n#include <linux/x.h>\n'), (0, 0))

    def test_edges_that_are_not_listed_are_faults(self):
        self.assertEqual(self.faults("a:\nb:\n", b='#include "a/x.h"\n'), (0, 1))
        self.assertEqual(self.faults("a:\nb:\n", b='#  include   "c/x.h"\n'), (0, 1))

    def test_a_room_that_is_not_listed_is_a_fault(self):
        self.assertEqual(self.faults("a:\n", a="", b=""), (0, 1))

    def test_back_edges_and_circles_are_faults(self):
        self.assertEqual(self.faults("a: b\nb:\n", a='#include "b/x.h"\n', b=""), (1, 0))
        self.assertEqual(self.faults("a: b\nb: a\n", a='#include "b/x.h"\n', b='#include "a/x.h"\n'), (1, 0))
        # Two libraries that need each other.
        self.assertEqual(self.faults("a:\nb:\nc/x: b\nb/y: c/x\n", a="", b="", c__x="", b__y=""), (1, 0))

    def test_sources_in_c_are_held_against_the_table_too(self):
        self.write("userspace/a/file.c", '#include "b/x.h"\n')
        self.assertEqual(self.faults("a:\nb:\n", b=""), (0, 1))

    def test_libbpf_stays_where_it_is(self):
        self.assertEqual(self.faults("a:\ncapture:\n", a="#include <bpf/libbpf.h>\n",
                                     capture="#include <bpf/libbpf.h>\n"), (0, 1))


if __name__ == "__main__":
    harness.main()
