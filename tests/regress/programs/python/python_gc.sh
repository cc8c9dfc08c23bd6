#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Python collects garbage after each request, with a large heap.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3
[ "$form" != prepare ] || exit 0
python3 -c '
import gc, json, sys, time
heap = [[i] for i in range(30000)]
page = [{"number": i, "words": ["a", "b", str(i)]} for i in range(60)]
for _ in range(90):
    for _ in range(10):
        json.loads(json.dumps(page))
    if sys.argv[1] == "yes":
        gc.collect()
    time.sleep(0.03)
' "$(in_form no yes)"
