#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What the Makefile compiles with less effort has no loop over events or records in it."""

import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import harness  # noqa: E402
from harness import BUILD, ROOT  # noqa: E402

# Of the reader, the timeline, the merge of the rings and the translation: constructors and destructors
# are called once.
LOOPS = re.compile(r"\b(fxt::Reader|facts::Timeline<.*>|capture::SlotMerger|capture::MergeLane|capture::SlotRing|"
                   r"capture::HandlerOf<.*>|translate::\w+|model::\w+)::(?!~)(\w+)")


class Cold(unittest.TestCase):
    def test_no_loops(self):
        listed = subprocess.run(["make", "-s", "--no-print-directory", "-C", ROOT, f"BUILD={BUILD}", "cold-objects"],
                                capture_output=True, check=True, text=True)
        objects = [name for name in listed.stdout.split() if os.path.exists(os.path.join(ROOT, name))]
        self.assertGreater(len(objects), 10)
        named = subprocess.run(["nm", "-A", "-C", "--defined-only", *objects], cwd=ROOT, capture_output=True, check=True,
                               text=True)
        found = []
        for line in named.stdout.splitlines():
            name, _, symbol = line.partition(":")
            if re.match(r"[0-9a-f]+ W ", symbol) and (match := LOOPS.search(symbol[19:].split("(")[0])):
                if match[1].split("::")[-1] != match[2]:
                    found.append(f"{name}: {symbol[19:]}")
        self.assertEqual(found, [])


if __name__ == "__main__":
    harness.main()
