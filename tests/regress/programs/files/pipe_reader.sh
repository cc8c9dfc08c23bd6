#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program writes lines into a pipe whose reader sleeps 4 ms for each 16 KiB instead of 0.2 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3 awk
[ "$form" != prepare ] || exit 0
awk 'BEGIN { for (i = 0; i < 180000; ++i) printf "%08d a line of a log that a person reads, now and then\n", i }' |
  python3 -c '
import os, sys, time
while os.read(0, 16384):
    time.sleep(float(sys.argv[1]))
' "$(in_form 0.0002 0.004)"
