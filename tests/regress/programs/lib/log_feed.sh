# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# A program that writes a log, for compressors behind it. Include ../lib.sh first.
# shellcheck disable=SC2154
need python3

# log_of BYTES: makes the text that feed() writes ten times a second. `prepare` ends here.
log_of() {
  [ "$form" = prepare ] || return 0
  text "$1" >"$folder/log.txt"
  exit 0
}

# Writes the text. It replaces its shell, so use it in a pipeline only.
feed() {
  exec python3 -c '
import sys, time
text = open(sys.argv[1], "rb").read()
for _ in range(28):
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()
    time.sleep(0.1)
' "$folder/log.txt"
}
