#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PostgreSQL with this configuration, and 300 small orders a second for two seconds: orders.sh CONFIGURATION
# For docs/guide.md. The database lies in $ORDERS (by default /tmp/orders), and is made by the first call.
set -eu
if [ $# != 1 ] || ! [ -r "$1" ]; then
  echo "usage: orders.sh CONFIGURATION" >&2
  exit 2
fi
for bin in /usr/lib/postgresql/*/bin; do PATH=$PATH:$bin; done
command -v postgres pgbench >/dev/null || { echo "orders.sh: error: no PostgreSQL (apt install postgresql)" >&2; exit 1; }
configuration=$1
folder=${ORDERS:-/tmp/orders}

# The server refuses to run as root.
server() {
  program=$(command -v "$1")
  shift
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$program" "$@"; else "$program" "$@"; fi
}

prepared=yes
if [ ! -e "$folder/data" ]; then
  prepared=
  mkdir -p "$folder"
  if [ "$(id -u)" = 0 ]; then chown postgres "$folder"; fi
  server initdb -D "$folder/data" -A trust >/dev/null
fi
# A copy, since the server's user may not be able to read ours.
install -m 644 "$configuration" "$folder/orders.conf"
server postgres -D "$folder/data" -k "$folder" -c listen_addresses= -c config_file="$folder/orders.conf" \
  2>"$folder/log" &
trap 'kill "$(head -n 1 "$folder/data/postmaster.pid")"; wait' EXIT
tries=0
until server pg_isready -q -h "$folder"; do
  tries=$((tries + 1))
  [ "$tries" -lt 200 ] || { echo "orders.sh: error: no answer after ten seconds: $folder/log" >&2; exit 1; }
  sleep 0.05
done
[ "$prepared" ] || server pgbench -h "$folder" -i -s 2 -q postgres 2>/dev/null >&2
server pgbench -h "$folder" -n -N -c 1 -R 300 -T 2 postgres 2>/dev/null | grep 'latency average'
