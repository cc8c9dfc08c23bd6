#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Tests `fxt query` and `fxt export` against `fxt report`, `fxt info`, the documentation and each other. The part `extension`
(make extension-test) tests the SQLite extension, `cache` (make cache-test) columns kept beside a trace. The input is a generated trace and, where the machine can record, a
recording. All parts share both."""

import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in (".", "../support")]

import harness  # noqa: E402

PARTS = ("sums", "documentation", "exports", "publishing", "statements", "scripts", "predicates", "prompt", "damage")

if __name__ == "__main__":
    harness.main(*PARTS)
