#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Providers: programs that add records to a recording, how they start, end, crash and misbehave. Needs root.

FXT_PROVIDER_KILLS, FXT_PROVIDER_LIARS and FXT_PROVIDER_CLOCK_SECONDS set the size of the longer tests."""

import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in (".", "../support")]

import harness  # noqa: E402

if __name__ == "__main__":
    harness.main("records", "lifetimes", "pid_reuse", "crashes", "limits", "trust")
