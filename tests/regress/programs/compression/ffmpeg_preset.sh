#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ffmpeg encodes a film with -preset medium instead of ultrafast.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need ffmpeg
[ "$form" != prepare ] || exit 0
ffmpeg -nostdin -loglevel error -re -f lavfi -i testsrc2=size=480x270:rate=25 -t 2.6 -c:v libx264 -threads 2 \
  -preset "$(in_form ultrafast medium)" -f null -
