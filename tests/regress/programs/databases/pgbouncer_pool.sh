#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pgbouncer has one connection to PostgreSQL instead of four, for queries of 8 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
PATH=$PATH:$(echo /usr/lib/postgresql/*/bin)
need pgbouncer pgbench initdb
port=18705
if [ "$form" = prepare ]; then
  chown postgres "$folder"
  su postgres -c "PATH=$PATH initdb -D $folder/data -A trust" >/dev/null 2>&1
  exit 0
fi
cat >"$folder/bouncer.ini" <<END
[databases]
postgres = host=127.0.0.1 port=$((port + 1)) user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = $(in_form 4 1)
logfile = /dev/null
user = postgres
END
echo 'SELECT pg_sleep(0.008)' >"$folder/query.sql"
chmod 644 "$folder/query.sql" "$folder/bouncer.ini"
su postgres -c "PATH=$PATH exec postgres -D $folder/data -p $((port + 1)) -k $folder" >/dev/null 2>&1 &
su postgres -c "PATH=$PATH exec pgbouncer -q $folder/bouncer.ini" >/dev/null 2>&1 &
trap 'pkill -INT -f "pgbouncer -q $folder"; pkill -INT -f "postgres -D $folder"; wait' EXIT
wait_for psql -h 127.0.0.1 -p "$port" -U postgres -c 'SELECT 1' postgres
pgbench -h 127.0.0.1 -p "$port" -U postgres -n -c 4 -j 1 -t 120 -f "$folder/query.sql" postgres >/dev/null 2>&1
