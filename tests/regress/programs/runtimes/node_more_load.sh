#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two more requests for each one (a control: more load, nothing is slower).
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need node ab
port=18623
[ "$form" != prepare ] || exit 0
node -e '
require("http").createServer((_, answer) => answer.end("ok")).listen(Number(process.argv[1]), "127.0.0.1");
' "$port" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$port/
wait_for ab -n 1 "$url"
repeat 25 0.07 ab -q -n "$(in_form 10 30)" -c 1 "$url"
