# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# For nginx with one worker. After ../lib.sh.
# Those that include this have them from there.
# shellcheck disable=SC2154
need nginx ab

# pages BYTES NAME: a text to serve; that is all of `prepare`.
pages() {
  [ "$form" = prepare ] || return 0
  text "$1" >"$folder/$2"
  exit 0
}

# serve URL SETTINGS: until this program ends, with these settings of http {}.
serve() {
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
$2
}
END
  nginx -e "$folder/error.log" -c "$folder/nginx.conf" &
  nginx=$!
  trap 'kill "$nginx"; wait' EXIT
  wait_for ab -n 1 "$1"
}
