#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Sessions: the commands, JSON over the socket, an independent varlink client, and failures. Needs root."""

import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in (".", "../support")]

import harness  # noqa: E402

if __name__ == "__main__":
    harness.main("commands", "protocol", "losses", "receivers", "sources", "unit_filter")
