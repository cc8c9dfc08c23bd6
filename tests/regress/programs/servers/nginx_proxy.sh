#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx forwards each request to another server over a new connection.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/nginx_server.sh
. "${0%/*}/../lib/nginx_server.sh"
pages 20000 page.txt
port=18477
url=http://127.0.0.1:$(in_form "$port" $((port + 2)))/page.txt
serve "$url" "  server { listen 127.0.0.1:$port; root $folder; }
  server { listen 127.0.0.1:$((port + 1)); location / { proxy_pass http://127.0.0.1:$port; } }
  server { listen 127.0.0.1:$((port + 2)); location / { proxy_pass http://127.0.0.1:$((port + 1)); } }"
repeat 25 0.07 ab -q -n 20 -c 2 "$url"
