#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Providers in real recordings: their records beside the kernel's, their life cycle, crashes and hostile input.
Needs root.

FXT_PROVIDER_KILLS, FXT_PROVIDER_LIARS and FXT_PROVIDER_CLOCK_SECONDS set the number or length of the trials."""

import os
import sys
import unittest

PARTS = ("records", "lifetimes", "pid_reuse", "crashes", "limits")

if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        os.environ["BUILD"] = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if not any(not word.startswith("-") for word in sys.argv[1:]):
        sys.argv += PARTS
    unittest.main(module=None, verbosity=2)
