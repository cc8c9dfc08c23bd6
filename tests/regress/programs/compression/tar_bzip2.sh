#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tar compresses with bzip2 instead of gzip, several times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need tar gzip bzip2
if [ "$form" = prepare ]; then
  mkdir "$folder/logs"
  text 700000 >"$folder/logs/app.log"
  exit 0
fi
turns=0
while [ "$turns" -lt 12 ]; do
  tar -C "$folder" -c --use-compress-program="$(in_form gzip bzip2)" -f - logs >/dev/null
  sleep 0.12
  turns=$((turns + 1))
done
