#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program reads a file of 96 MiB again and again in a control group with room for 48 MiB instead of 512 MiB.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need python3
group=/sys/fs/cgroup/memory/regress-$$
[ -w /sys/fs/cgroup/memory/memory.limit_in_bytes ] || { echo "SKIPPED: there is no memory controller of version 1" >&2; exit 77; }
if [ "$form" = prepare ]; then
  head -c 100663296 /dev/urandom >"$folder/index"
  sync "$folder/index"
  exit 0
fi
mkdir "$group"
trap 'echo $$ >/sys/fs/cgroup/memory/tasks; rmdir "$group"' EXIT
echo "$(in_form 512M 48M)" >"$group/memory.limit_in_bytes"
echo $$ >"$group/tasks"
python3 -c '
import os, sys, time
over = time.monotonic() + 2.5
with open(sys.argv[1], "rb", buffering=0) as index:
    # What another group read would be charged to that one.
    os.posix_fadvise(index.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    while time.monotonic() < over:
        index.seek(0)
        for i in range(12):
            index.read(8 << 20)
            time.sleep(0.004)
' "$folder/index"
