#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# xz -4 instead of -0 behind a program that writes 1 MB of log a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/lib.sh"
need xz python3
if [ "$form" = prepare ]; then
  text 100000 >"$folder/log.txt"
  exit 0
fi
python3 -c '
import sys, time
text = open(sys.argv[1], "rb").read()
for _ in range(28):
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()
    time.sleep(0.1)
' "$folder/log.txt" | xz -T1 "$(in_form -0 -4)" >/dev/null
