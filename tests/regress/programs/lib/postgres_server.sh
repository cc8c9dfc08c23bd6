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
