#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A checksum reads a file in blocks of 128 bytes instead of 64 kB.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need dd sha256sum
if [ "$form" = prepare ]; then
  head -c 160000000 /dev/zero >"$folder/content"
  exit 0
fi
dd if="$folder/content" bs="$(in_form 64k 128)" status=none | sha256sum >/dev/null
