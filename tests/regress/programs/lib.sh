# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# Functions for the programs in these folders. Each program runs as PROGRAM.sh prepare|base|slow FOLDER.
# `prepare` fills an empty folder for the two forms and is not recorded. It may leave processes behind, with
# their process ids in FOLDER/*.pid; record.py ends them. Each form runs for about three seconds. The names end
# in .sh so that a shell has another name than the program under test.
set -eu
case ${1-} in
  prepare|base|slow) ;;
  *) echo "usage: $0 prepare|base|slow FOLDER" >&2; exit 2 ;;
esac
form=$1
# The files that include this one use it.
# shellcheck disable=SC2034
folder=${2:?"usage: $0 prepare|base|slow FOLDER"}

# need PROGRAM...: ends with status 77 (skipped) if one of them is missing.
need() {
  PATH=$PATH:/usr/sbin:/sbin
  for program; do
    command -v "$program" >/dev/null || {
      echo "SKIPPED: ${0##*/} needs $program, which is not installed" >&2
      exit 77
    }
  done
}

# in_form BASE SLOW: prints the word for the current form.
in_form() { if [ "$form" = slow ]; then echo "$2"; else echo "$1"; fi; }

# wait_for COMMAND...: repeats the command until it succeeds, for at most a minute.
wait_for() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 1200 ] || { echo "$0: no answer after a minute: $*" >&2; exit 1; }
    sleep 0.05
  done
}

# repeat TIMES PAUSE COMMAND...: runs the command, then sleeps for PAUSE seconds. Discards its output.
repeat() {
  left=$1
  pause=$2
  shift 2
  while [ "$left" -gt 0 ]; do
    "$@" >/dev/null
    sleep "$pause"
    left=$((left - 1))
  done
}

# text BYTES: prints lines that compress about as well as a log.
text() {
  awk -v bytes="$1" 'BEGIN {
    srand(7)
    while (done < bytes) {
      line = sprintf("%08d host-%d app[%d]: request %x took %d us, status %d", done, rand() * 40,
                     rand() * 30000, rand() * 1e9, rand() * 1e5, 200 + int(rand() * 5) * 100)
      print line
      done += length(line) + 1
    }
  }'
}
