#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx that compresses as well as it can (gzip_comp_level 9), not as fast as it can, for a client that asks
# for a page a few dozen times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/lib.sh"
need nginx ab
port=18437
if [ "$form" = prepare ]; then
  text 60000 >"$folder/log.txt"
  exit 0
fi
cat >"$folder/nginx.conf" <<END
user root;
daemon off;
worker_processes 1;
pid $folder/nginx.pid;
error_log $folder/error.log;
events {}
http {
  access_log off;
  default_type text/plain;
  gzip on;
  gzip_types text/plain;
  gzip_http_version 1.0;
  gzip_comp_level $(in_form 1 9);
  server { listen 127.0.0.1:$port; root $folder; }
}
END
nginx -e "$folder/error.log" -c "$folder/nginx.conf" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$port/log.txt
wait_for ab -n 1 "$url"
turns=0
while [ "$turns" -lt 20 ]; do
  ab -q -n 4 -c 2 -H 'Accept-Encoding: gzip' "$url" >/dev/null
  sleep 0.08
  turns=$((turns + 1))
done
