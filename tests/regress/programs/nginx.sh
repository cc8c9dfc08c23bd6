#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx that compresses as well as it can (gzip_comp_level 9), not as fast as it can, for a client that asks
# for a page a few dozen times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/regress/programs/lib/nginx_server.sh
. "${0%/*}/lib/nginx_server.sh"
pages 60000 log.txt
port=18437
url=http://127.0.0.1:$port/log.txt
serve "$url" "  gzip on;
  gzip_types text/plain;
  gzip_http_version 1.0;
  gzip_comp_level $(in_form 1 9);
  server { listen 127.0.0.1:$port; root $folder; }"
repeat 20 0.08 ab -q -n 4 -c 2 -H 'Accept-Encoding: gzip' "$url"
