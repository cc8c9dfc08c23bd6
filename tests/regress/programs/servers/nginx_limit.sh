#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# nginx limits each connection to 2 MB per second, so clients wait for its timers.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/nginx_server.sh
. "${0%/*}/../lib/nginx_server.sh"
pages 100000 log.txt
port=18438
url=http://127.0.0.1:$port/log.txt
serve "$url" "  server { listen 127.0.0.1:$port; root $folder; limit_rate $(in_form 0 2m); }"
ab -q -t 2 -n 100000 -c 4 "$url" >/dev/null
