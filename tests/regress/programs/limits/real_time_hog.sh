#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that is not recorded uses all CPUs in real time for 60 ms of each 100.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3 perl chrt
if [ "$form" = prepare ]; then
  for cpu in $(seq 0 $(($(nproc) - 1))); do
    setsid chrt -f 20 taskset -c "$cpu" perl -MTime::HiRes=time,sleep -e '
      $0 = "hog";
      for (;;) {
        if (-e $ARGV[0]) { for (my $over = time + 0.06; time < $over;) {} sleep 0.04 } else { sleep 0.02 }
      }' "$folder/on" >/dev/null 2>&1 &
    echo $! >"$folder/hog-$cpu.pid"
  done
  exit 0
fi
trap 'rm -f "$folder/on"' EXIT
touch "$folder/$(in_form off on)"
python3 -c '
import time
over = time.monotonic() + 2.5
while time.monotonic() < over:
    end = time.monotonic() + 0.001
    while time.monotonic() < end:
        pass
    time.sleep(0.004)
'
