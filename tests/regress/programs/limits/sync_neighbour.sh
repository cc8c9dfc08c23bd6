#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that is not recorded writes 24 MiB at a time and syncs, on the disk where the recorded one syncs its log.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3 dd
if [ "$form" = prepare ]; then
  mkdir -p "$folder/data"
  setsid sh -c 'while :; do if [ -e "$1/on" ]; then dd if=/dev/zero of="$1/data/bulk" bs=1M count=24 conv=fdatasync; else sleep 0.05; fi; done' \
    neighbour "$folder" >/dev/null 2>&1 &
  echo $! >"$folder/neighbour.pid"
  exit 0
fi
trap 'rm -f "$folder/on"' EXIT
[ "$form" = base ] || : >"$folder/on"
python3 -c '
import os, sys, time
over = time.monotonic() + 2.5
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
while time.monotonic() < over:
    os.write(log, b"x" * 4096)
    os.fdatasync(log)
    time.sleep(0.01)
' "$folder/data/log"
