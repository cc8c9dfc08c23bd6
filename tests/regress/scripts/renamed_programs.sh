#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Changes nothing but the names of a pipeline's programs. Usage: renamed_programs.sh base|slow SECONDS.
set -eu
[ $# = 2 ] || { echo "usage: $0 base|slow SECONDS" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
lower=tr
count=awk
if [ "$1" = slow ]; then
  lower=$folder/lower
  count=$folder/wordcount
fi
for pair in "tr $folder/lower" "awk $folder/wordcount"; do
  ln -s "$(readlink -f "$(command -v "${pair%% *}")")" "${pair#* }"
done
yes 'The quick brown fox jumps over the lazy dog, and the dog sleeps on' | head -n 15000 >"$folder/text"
end=$(($(date +%s%N) / 1000000 + $(printf %.0f "$2e3")))
while [ $(($(date +%s%N) / 1000000)) -lt "$end" ]; do
  cat "$folder/text" | "$lower" A-Z a-z | "$count" '{ for (i = 1; i <= NF; i++) c[$i]++ } END { print length(c) }' \
    >/dev/null
  sleep 0.05
done
