#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# rsync compares the contents of all files (--checksum) instead of times and sizes.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need rsync
if [ "$form" = prepare ]; then
  mkdir "$folder/from"
  text 3000000 >"$folder/log.txt"
  number=0
  while [ "$number" -lt 40 ]; do
    cp "$folder/log.txt" "$folder/from/$number.log"
    number=$((number + 1))
  done
  rsync -a "$folder/from/" "$folder/to/"
  exit 0
fi
turns=0
while [ "$turns" -lt 12 ]; do
  rsync "$(in_form -a -ac)" "$folder/from/" "$folder/to/"
  sleep 0.12
  turns=$((turns + 1))
done
