#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx beside a program that computes all of the time on all CPUs, not a twentieth of it.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need nginx ab stress-ng
port=18487
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
  gzip on;
  gzip_types text/plain;
  gzip_http_version 1.0;
  default_type text/plain;
  server { listen 127.0.0.1:$port; root $folder; }
}
END2
nginx -e "$folder/error.log" -c "$folder/nginx.conf" &
server=$!
trap 'kill "$server"; wait' EXIT
url=http://127.0.0.1:$port/page.txt
wait_for ab -n 1 "$url"
stress-ng --quiet --cpu 2 --cpu-method int64 --cpu-load "$(in_form 5 100)" --timeout 3 --temp-path "$folder" &
turns=0
while [ "$turns" -lt 20 ]; do
  ab -q -n 8 -c 2 -H 'Accept-Encoding: gzip' "$url" >/dev/null
  sleep 0.07
  turns=$((turns + 1))
done
