#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PHP keeps the lock of a session for the whole request instead of the begin of it.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/php_server.sh
. "${0%/*}/../lib/php_server.sh"
port=18702
serve_php "$port" 4 "<?php session_start(); $(in_form 'session_write_close();' '') usleep(15000); echo 'ok';"
ab -q -c 4 -n 160 -C PHPSESSID=abcdef0123456789abcdef0123 "http://127.0.0.1:$port/" >/dev/null
