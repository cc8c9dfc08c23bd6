#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Another thread of a Ruby server computes and has the lock of the interpreter.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need ruby python3
port=18711
[ "$form" != prepare ] || exit 0
cat >"$folder/server.rb" <<END
require 'socket'
server = TCPServer.new('127.0.0.1', $port)
if ARGV[0] == 'slow'
  Thread.new do
    loop do
      begin_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      x = 0
      x += 1 while Process.clock_gettime(Process::CLOCK_MONOTONIC) - begin_s < 0.02
      sleep 0.01
    end
  end
end
client = server.accept
while (line = client.gets)
  client.write('ok ' + line)
end
END
ruby "$folder/server.rb" "$form" &
trap 'kill $! 2>/dev/null || :; wait' EXIT
python3 -c '
import socket, sys, time
for _ in range(100):
    try:
        server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        break
    except OSError:
        time.sleep(0.05)
for i in range(250):
    server.sendall(b"hello\n")
    server.recv(100)
    time.sleep(0.006)
' "$port"
