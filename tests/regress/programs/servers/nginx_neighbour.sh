#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx beside a program that computes on all CPUs instead of for a twentieth of the time.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/nginx_server.sh
. "${0%/*}/../lib/nginx_server.sh"
need stress-ng
pages 20000 page.txt
port=18487
url=http://127.0.0.1:$port/page.txt
serve "$url" "  gzip on;
  gzip_types text/plain;
  gzip_http_version 1.0;
  server { listen 127.0.0.1:$port; root $folder; }"
stress-ng --quiet --cpu 2 --cpu-method int64 --cpu-load "$(in_form 5 100)" --timeout 3 --temp-path "$folder" &
repeat 20 0.07 ab -q -n 8 -c 2 -H 'Accept-Encoding: gzip' "$url"
