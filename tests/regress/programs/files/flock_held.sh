#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# flock: a job sleeps 40 ms under the lock instead of 2 ms while another job waits for it.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need flock
[ "$form" != prepare ] || exit 0
turns=0
while [ "$turns" -lt 30 ]; do
  flock "$folder/lock" sleep "$(in_form 0.002 0.04)"
  sleep 0.02
  turns=$((turns + 1))
done &
turns=0
while [ "$turns" -lt 60 ]; do
  flock "$folder/lock" true
  sleep 0.02
  turns=$((turns + 1))
done
wait
