#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL: a transaction holds an exclusive lock of a table for 300 ms at a time instead of 5 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/postgres_server.sh
. "${0%/*}/../lib/postgres_server.sh"
need psql
hold_lock 'select n from stock where id = 1;' 'lock table stock in access exclusive mode;' 5 300 400
