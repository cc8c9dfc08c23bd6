#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dd waits for the disk after each block (oflag=dsync).
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need dd
[ "$form" != prepare ] || exit 0
turns=0
while [ "$turns" -lt 40 ]; do
  # shellcheck disable=SC2046
  dd if=/dev/zero of="$folder/blocks" bs=4k count=12 conv=notrunc $(in_form '' oflag=dsync) 2>/dev/null
  sleep 0.03
  turns=$((turns + 1))
done
