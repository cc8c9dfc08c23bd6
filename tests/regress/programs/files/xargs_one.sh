#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# xargs -n 1 instead of -n 20: a process for each of 1,200 files.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need xargs wc seq
if [ "$form" = prepare ]; then
  mkdir "$folder/files"
  for number in $(seq 1200); do echo "$number" >"$folder/files/$number"; done
  exit 0
fi
find "$folder/files" -type f -print0 | xargs -0 -n "$(in_form 20 1)" wc -c >/dev/null
