# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# nginx with one worker. Include ../lib.sh first.
# shellcheck disable=SC2154
need nginx ab

# pages BYTES NAME: makes a file to serve. `prepare` ends here.
pages() {
  [ "$form" = prepare ] || return 0
  text "$1" >"$folder/$2"
  exit 0
}

# serve URL SETTINGS: runs nginx with these settings in http {} until this program ends.
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
