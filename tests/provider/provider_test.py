#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Programs that take part in recordings: what they write and where it ends up, beside what the kernel
says; how they come, go, die and lie. Needs root.

FXT_PROVIDER_KILLS, FXT_PROVIDER_LIARS and FXT_PROVIDER_CLOCK_SECONDS: how much of each is tried."""

import os
import sys
import unittest

PARTS = ("written", "lifetimes", "again", "ends", "strangers")

if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        os.environ["BUILD"] = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if not any(not word.startswith("-") for word in sys.argv[1:]):
        sys.argv += PARTS
    unittest.main(module=None, verbosity=2)
