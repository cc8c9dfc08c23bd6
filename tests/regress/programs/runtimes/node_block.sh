#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# node: a timer of the server blocks its event loop for 25 ms instead of 0.5 ms, ten times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need node ab
port=18621
[ "$form" != prepare ] || exit 0
node -e '
const http = require("http");
http.createServer((_, answer) => answer.end("ok")).listen(Number(process.argv[1]), "127.0.0.1");
const block = Number(process.argv[2]);
setInterval(() => { const end = performance.now() + block; while (performance.now() < end); }, 100);
' "$port" "$(in_form 0.5 25)" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$port/
wait_for ab -n 1 "$url"
repeat 25 0.05 ab -q -n 40 -c 2 "$url"
