#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gzip -9 instead of -1 behind a program that writes 2 MB of log a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/lib.sh"
need gzip python3
if [ "$form" = prepare ]; then
  text 200000 >"$folder/log.txt"
  exit 0
fi
python3 -c '
import sys, time
text = open(sys.argv[1], "rb").read()
for _ in range(28):
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()
    time.sleep(0.1)
' "$folder/log.txt" | gzip "$(in_form -1 -9)" >/dev/null
