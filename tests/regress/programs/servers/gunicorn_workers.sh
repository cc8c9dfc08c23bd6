#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gunicorn has one worker instead of four, for requests that sleep for 15 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need gunicorn ab
port=18703
[ "$form" != prepare ] || exit 0
cat >"$folder/app.py" <<END
import time
def app(environ, start):
    time.sleep(0.015)
    start("200 OK", [("Content-Length", "2")])
    return [b"ok"]
END
cd "$folder" || exit
gunicorn -w "$(in_form 4 1)" -b "127.0.0.1:$port" --log-level critical app:app &
trap 'kill $!; wait' EXIT
wait_for ab -n 1 "http://127.0.0.1:$port/"
ab -q -c 4 -n 150 "http://127.0.0.1:$port/" >/dev/null
