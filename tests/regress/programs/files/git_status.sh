#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# git status reads every file because its index is older than the files, several times a second.
# shellcheck source=tests/regress/programs/lib.sh
. "${0%/*}/../lib.sh"
need git split
# `prepare` may have run as another user.
git() { command git -c safe.directory='*' -c user.name=a -c user.email=a@example.org "$@"; }
if [ "$form" = prepare ]; then
  mkdir "$folder/tree"
  cd "$folder/tree"
  text 8000000 | split -a 4 -b 4000 - part-
  git init -q .
  git add .
  git commit -q -m all
  cp -a "$folder/tree" "$folder/touched"
  find "$folder/touched" -name 'part-*' -exec touch -d '+1 minute' {} +
  # Files as new as the index itself are read, too.
  sleep 1.1
  git status -s >/dev/null
  exit 0
fi
cd "$folder/$(in_form tree touched)"
turns=0
while [ "$turns" -lt 14 ]; do
  # Does not write an index with the new times.
  GIT_OPTIONAL_LOCKS=0 git status -s >/dev/null
  sleep 0.15
  turns=$((turns + 1))
done
