# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# PostgreSQL with a database "bench" and a socket in the folder. Include ../lib.sh first.
# shellcheck disable=SC2154
for bin in /usr/lib/postgresql/*/bin; do PATH=$bin:$PATH; done
need initdb postgres pgbench createdb pg_isready runuser

# The server refuses to run as root.
server() {
  program=$1
  shift
  runuser -u postgres -- "$(command -v "$program")" "$@"
}

# start OPTION...: runs the server until this program ends.
start() {
  server postgres -D "$folder/data" -k "$folder" -c listen_addresses= "$@" 2>"$folder/log" &
  trap 'kill "$(head -n 1 "$folder/data/postmaster.pid")"; wait' EXIT
  wait_for pg_isready -h "$folder"
}

# start_new OPTION...: the same with a new, empty database.
start_new() {
  id postgres >/dev/null 2>&1 || { echo "SKIPPED: there is no user postgres" >&2; exit 77; }
  chown postgres "$folder"
  server initdb -D "$folder/data" -A trust --no-sync
  start "$@"
  server createdb -h "$folder" bench
}

# hold_lock STATEMENT LOCK SHORT LONG PAUSE: two clients execute STATEMENT while a third one holds LOCK for SHORT or LONG
# ms at a time, and nothing for PAUSE ms.
hold_lock() {
  if [ "$form" = prepare ]; then
    start_new -c synchronous_commit=off
    server psql -h "$folder" -d bench -c 'create table stock(id int primary key, n int); insert into stock values (1, 0)'
    echo "$1" >"$folder/wait.sql"
    for ms in "$3" "$4"; do
      printf 'begin;\n%s\n\\sleep %s ms\ncommit;\n\\sleep %s ms\n' "$2" "$ms" "$5" >"$folder/hold-$ms.sql"
    done
    exit 0
  fi
  start -c synchronous_commit=off
  server pgbench -h "$folder" -n -f "$folder/hold-$(in_form "$3" "$4").sql" -T 2 bench >/dev/null &
  server pgbench -h "$folder" -n -f "$folder/wait.sql" -c 2 -R 200 -T 2 bench >/dev/null
}
