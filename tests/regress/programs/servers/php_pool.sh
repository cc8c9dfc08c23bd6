#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# PHP has one worker instead of four, for requests that sleep for 20 ms.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=tests/regress/programs/lib/php_server.sh
. "${0%/*}/../lib/php_server.sh"
port=18701
# shellcheck disable=SC2016
serve_php "$port" "$(in_form 4 1)" '<?php usleep(20000); echo md5(str_repeat("x", 20000));'
ab -q -c 4 -n 150 "http://127.0.0.1:$port/" >/dev/null
