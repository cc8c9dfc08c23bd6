#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gzip -9 instead of -1, behind a program that writes 2 MB of log per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/log_feed.sh
. "${0%/*}/../lib/log_feed.sh"
need gzip
log_of 200000
feed | gzip "$(in_form -1 -9)" >/dev/null
