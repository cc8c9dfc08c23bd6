#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx compresses with gzip_comp_level 9 instead of 1; a client requests a few dozen pages per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/nginx_server.sh
. "${0%/*}/../lib/nginx_server.sh"
pages 60000 log.txt
port=18437
url=http://127.0.0.1:$port/log.txt
serve "$url" "  gzip on;
  gzip_types text/plain;
  gzip_http_version 1.0;
  gzip_comp_level $(in_form 1 9);
  server { listen 127.0.0.1:$port; root $folder; }"
repeat 20 0.08 ab -q -n 4 -c 2 -H 'Accept-Encoding: gzip' "$url"
