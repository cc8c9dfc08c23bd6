#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# node: the server syncs its log before each answer.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need node ab
port=18624
if [ "$form" = prepare ]; then
  cat >"$folder/server.js" <<'END'
const fs = require('fs');
const log = fs.openSync(process.argv[2], 'a');
const synced = process.argv[3] === 'yes';
require('http').createServer((request, answer) => {
  fs.write(log, request.url.padEnd(200) + '\n', () => {
    if (synced) fs.fsync(log, () => answer.end('ok'));
    else answer.end('ok');
  });
}).listen(+process.argv[4], '127.0.0.1');
END
  exit 0
fi
node "$folder/server.js" "$folder/log" "$(in_form no yes)" "$port" &
trap 'kill $!; wait' EXIT
url=http://127.0.0.1:$port/
wait_for ab -n 1 "$url"
repeat 20 0.05 ab -q -n 15 -c 2 "$url"
