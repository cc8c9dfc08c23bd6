#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# sort with little memory (-S) writes temporary files, several times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need sort
if [ "$form" = prepare ]; then
  text 1500000 >"$folder/log.txt"
  exit 0
fi
turns=0
while [ "$turns" -lt 14 ]; do
  LC_ALL=C sort --parallel=1 -T "$folder" -S "$(in_form 64M 64K)" -k 4 "$folder/log.txt" >/dev/null
  sleep 0.1
  turns=$((turns + 1))
done
