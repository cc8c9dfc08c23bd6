#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx that asks another server of its own for each page, through a new connection.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need nginx ab
port=18477
if [ "$form" = prepare ]; then
  text 20000 >"$folder/page.txt"
  exit 0
fi
cat >"$folder/nginx.conf" <<END2
user root;
daemon off;
worker_processes 1;
pid $folder/nginx.pid;
error_log $folder/error.log;
events {}
http {
  access_log off;
  default_type text/plain;
  server { listen 127.0.0.1:$port; root $folder; }
  server { listen 127.0.0.1:$((port + 1)); location / { proxy_pass http://127.0.0.1:$port; } }
  server { listen 127.0.0.1:$((port + 2)); location / { proxy_pass http://127.0.0.1:$((port + 1)); } }
}
END2
nginx -e "$folder/error.log" -c "$folder/nginx.conf" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$(in_form "$port" $((port + 2)))/page.txt
wait_for ab -n 1 "$url"
turns=0
while [ "$turns" -lt 25 ]; do
  ab -q -n 20 -c 2 "$url" >/dev/null
  sleep 0.07
  turns=$((turns + 1))
done
