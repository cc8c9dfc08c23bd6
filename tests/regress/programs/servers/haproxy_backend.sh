#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# haproxy forwards to a server that takes 6 ms instead of 0.5 ms for an answer.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need haproxy python3 ab
port=18631
[ "$form" != prepare ] || exit 0
cat >"$folder/haproxy.cfg" <<END
defaults
  mode http
  timeout connect 2s
  timeout client 5s
  timeout server 5s
listen front
  bind 127.0.0.1:$port
  server back 127.0.0.1:$((port + 1))
END
python3 -c '
import http.server, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        time.sleep(float(sys.argv[2]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
' "$((port + 1))" "$(in_form 0.0005 0.006)" &
back=$!
haproxy -db -q -f "$folder/haproxy.cfg" &
trap 'kill "$back" $!; wait' EXIT
url=http://127.0.0.1:$port/
wait_for ab -n 1 "$url"
repeat 25 0.05 ab -q -n 8 -c 2 "$url"
