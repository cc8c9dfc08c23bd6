#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# MariaDB syncs its log at each commit.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need mariadbd mariadb-install-db mariadb-slap mariadb
port=18704
if [ "$form" = prepare ]; then
  mariadb-install-db --no-defaults --user=root --datadir="$folder/data" --skip-test-db \
    --auth-root-authentication-method=normal >/dev/null 2>&1
  exit 0
fi
mariadbd --no-defaults --user=root --datadir="$folder/data" --port="$port" --socket="$folder/server.sock" \
  --bind-address=127.0.0.1 --innodb-flush-log-at-trx-commit="$(in_form 0 1)" --skip-log-bin --skip-name-resolve 2>/dev/null &
trap 'kill $!; wait' EXIT
wait_for mariadb -S "$folder/server.sock" -e 'SELECT 1'
mariadb -S "$folder/server.sock" -e "
  CREATE DATABASE IF NOT EXISTS shop; DROP TABLE IF EXISTS shop.orders; CREATE TABLE shop.orders (a INT, b VARCHAR(60));
  CREATE USER IF NOT EXISTS client@'127.0.0.1'; GRANT ALL ON *.* TO client@'127.0.0.1'"
mariadb-slap -h 127.0.0.1 -P "$port" -u client --create-schema=shop --no-drop --concurrency=2 --number-of-queries=1500 \
  --query="INSERT INTO orders VALUES (1, 'abcdefghijklmnopqrst')" >/dev/null
