#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# git reads history without its commit graph, several times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need git awk
repository=$folder/history.git
if [ "$form" = prepare ]; then
  git init -q --bare "$repository"
  awk 'BEGIN {
    for (i = 1; i <= 12000; ++i) {
      text = "change " i
      printf "commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata %d\n%s\n", 1600000000 + i,
             length(text), text
    }
  }' | git -C "$repository" fast-import --quiet
  git -C "$repository" commit-graph write --no-progress --reachable
  exit 0
fi
turns=0
while [ "$turns" -lt 14 ]; do
  git -C "$repository" -c core.commitGraph="$(in_form true false)" rev-list --count main >/dev/null
  sleep 0.1
  turns=$((turns + 1))
done
