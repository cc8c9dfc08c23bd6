#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# rsyslogd syncs after each batch of lines (sync of omfile), a hundred lines per second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need rsyslogd python3
[ "$form" != prepare ] || exit 0
socket=$folder/log.sock
rm -f "$folder/messages" "$folder/rsyslogd.lock"
cat >"$folder/rsyslog.conf" <<END
global(workDirectory="$folder")
module(load="imuxsock" SysSock.Use="off")
input(type="imuxsock" Socket="$socket" CreatePath="off" RateLimit.Interval="0")
action(type="omfile" file="$folder/messages" sync="$(in_form off on)")
END
rsyslogd -n -f "$folder/rsyslog.conf" -i "$folder/rsyslogd.lock" &
trap 'kill $!; wait' EXIT
wait_for test -S "$socket"
python3 -c '
import socket, sys, time
log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
log.connect(sys.argv[1])
for i in range(250):
    log.send(f"<14>shop: order {i} was taken".encode())
    time.sleep(0.01)
' "$socket"
