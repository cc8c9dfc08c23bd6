#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A web server handles requests in sequence instead of in threads; an answer waits 8 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3 ab
[ "$form" != prepare ] || exit 0
port=18457
python3 -c '
import http.server, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        time.sleep(0.008)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *_):
        pass
kind = getattr(http.server, sys.argv[1])
kind(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
' "$(in_form ThreadingHTTPServer HTTPServer)" "$port" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$port/
wait_for ab -n 1 "$url"
repeat 20 0.05 ab -q -n 8 -c 4 "$url"
