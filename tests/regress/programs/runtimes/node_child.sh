#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# node: the server reads a file with a synchronous call to a slow program (execSync, 8 ms) for each request.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need node ab
port=18622
[ "$form" != prepare ] || exit 0
node -e '
const http = require("http");
const { execFileSync } = require("child_process");
const slow = process.argv[2] === "slow";
http.createServer((_, answer) => {
  if (slow) execFileSync("/bin/sleep", ["0.008"]);
  answer.end("ok");
}).listen(Number(process.argv[1]), "127.0.0.1");
' "$port" "$form" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$port/
wait_for ab -n 1 "$url"
repeat 20 0.05 ab -q -n 5 -c 2 "$url"
