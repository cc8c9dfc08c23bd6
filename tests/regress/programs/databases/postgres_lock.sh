#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL: a session holds a row lock for 40 ms at a time instead of 1 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/postgres_server.sh
. "${0%/*}/../lib/postgres_server.sh"
need psql
buy='update stock set n = n + 1 where id = 1;'
hold_lock "$buy" "$buy" 1 40 60
