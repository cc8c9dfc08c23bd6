#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The benchmark of a project, started in its tree: two to ten seconds of the work that has to stay fast. Copy it
# to perf/bench.sh. The same amount of work each time is better than the same time.
set -eu
exec build/server --requests 2000 --rate 500
