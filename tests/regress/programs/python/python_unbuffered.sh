#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program writes each line by itself to a program that counts lines.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3 wc
[ "$form" = prepare ] && exit 0
PYTHONUNBUFFERED=$(in_form '' 1)
export PYTHONUNBUFFERED
python3 -c '
import time
for turn in range(60):
    for line in range(4000):
        print("turn", turn, "line", line)
    time.sleep(0.02)
' | wc -l >/dev/null
