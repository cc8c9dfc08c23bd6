#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# xz -4 instead of -0, behind a program that writes 1 MB of log per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/log_feed.sh
. "${0%/*}/../lib/log_feed.sh"
need xz
log_of 100000
feed | xz -T1 "$(in_form -0 -4)" >/dev/null
