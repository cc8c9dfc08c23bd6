#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Python: a busy thread releases the interpreter lock every 20 ms instead of every 0.5 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3
[ "$form" != prepare ] || exit 0
python3 -c '
import sys, threading, time
sys.setswitchinterval(float(sys.argv[1]))
over = time.monotonic() + 2.5
def compute():
    x = 0
    while time.monotonic() < over:
        for i in range(1000):
            x += i % 7
threading.Thread(target=compute).start()
while time.monotonic() < over:
    time.sleep(0.01)
    sum(range(100))
' "$(in_form 0.0005 0.02)"
