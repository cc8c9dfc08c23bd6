# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# For compressors behind a program that writes log all of the time. After ../lib.sh.
# Those that include this have them from there.
# shellcheck disable=SC2154
need python3

# log_of BYTES: what is written ten times a second; that is all of `prepare`.
log_of() {
  [ "$form" = prepare ] || return 0
  text "$1" >"$folder/log.txt"
  exit 0
}

# The program that writes. In a pipe only: it takes the place of its shell.
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
