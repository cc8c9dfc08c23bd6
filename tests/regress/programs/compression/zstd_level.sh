#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# zstd -15 instead of -3, behind a program that writes 1 MB of log per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/log_feed.sh
. "${0%/*}/../lib/log_feed.sh"
need zstd
log_of 100000
feed | zstd -q -T1 "$(in_form -3 -15)" >/dev/null
