#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx that lets each connection have 2 MB a second, so that clients wait for its timers.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/lib.sh"
need nginx ab
port=18438
if [ "$form" = prepare ]; then
  text 100000 >"$folder/log.txt"
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
  server { listen 127.0.0.1:$port; root $folder; limit_rate $(in_form 0 2m); }
}
END
nginx -e "$folder/error.log" -c "$folder/nginx.conf" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$port/log.txt
wait_for ab -n 1 "$url"
ab -q -t 2 -n 100000 -c 4 "$url" >/dev/null
