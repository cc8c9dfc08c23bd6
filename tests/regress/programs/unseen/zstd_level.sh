#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# zstd -15 instead of -3 behind a program that writes 1 MB of log a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need zstd python3
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
' "$folder/log.txt" | zstd -q -T1 "$(in_form -3 -15)" >/dev/null
