#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A TLS server has a key of 4096 bits instead of 2048; a client connects about forty times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need openssl python3
if [ "$form" = prepare ]; then
  for bits in 2048 4096; do
    openssl req -x509 -newkey "rsa:$bits" -nodes -keyout "$folder/$bits.key" -out "$folder/$bits.crt" -days 2 \
      -subj /CN=localhost 2>/dev/null
  done
  exit 0
fi
bits=$(in_form 2048 4096)
port=18447
openssl s_server -quiet -accept "127.0.0.1:$port" -cert "$folder/$bits.crt" -key "$folder/$bits.key" \
  </dev/null >/dev/null 2>&1 &
trap 'kill $!; wait' EXIT
python3 -c '
import socket, ssl, sys, time
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
made = 0
for _ in range(400):
    try:
        with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as plain, context.wrap_socket(plain):
            made += 1
    except OSError:
        pass
    if made == 90:
        break
    time.sleep(0.02)
' "$port"
