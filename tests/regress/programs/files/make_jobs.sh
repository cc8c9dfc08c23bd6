#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make runs one job at a time instead of two; each job waits.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need make
if [ "$form" = prepare ]; then
  {
    echo 'all: 1 2 3 4 5 6 7 8 9 10 11 12'
    printf '%%:\n\t@sleep 0.1; i=0; while [ $$i -lt 20000 ]; do i=$$((i + 1)); done\n'
  } >"$folder/Makefile"
  exit 0
fi
make -s -C "$folder" -j "$(in_form 2 1)"
