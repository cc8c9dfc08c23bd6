#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Holds `fxt query`, its SQLite extension and `fxt export` against `fxt report` and `fxt info`, the documentation and one
another: of a made-up recording, and of this machine where it can be recorded. One program, so that they are made once."""

import os
import sys
import unittest

PARTS = ("sums", "documentation", "extension", "exports", "publishing", "statements", "scripts", "predicates", "prompt",
         "damage")

if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        os.environ["BUILD"] = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if not any(not word.startswith("-") for word in sys.argv[1:]):
        sys.argv += PARTS
    unittest.main(module=None, verbosity=2)
