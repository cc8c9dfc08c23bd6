# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# What the programs here share. Each is called as PROGRAM.sh prepare|base|slow FOLDER: prepare fills an empty
# folder with what the other two need and is not recorded; a process that it leaves behind has its number in
# FOLDER/*.pid and is ended there. The others run for about three seconds each. Their names end in .sh so that
# their shells have another name than what they run.
set -eu
case ${1-} in
  prepare|base|slow) ;;
  *) echo "usage: $0 prepare|base|slow FOLDER" >&2; exit 2 ;;
esac
form=$1
# For those who read this file.
# shellcheck disable=SC2034
folder=${2:?"usage: $0 prepare|base|slow FOLDER"}

# need PROGRAM...: without one of them there is nothing to record here.
need() {
  PATH=$PATH:/usr/sbin:/sbin
  for program; do
    command -v "$program" >/dev/null || {
      echo "SKIPPED: ${0##*/} needs $program, which is not installed" >&2
      exit 77
    }
  done
}

# in_form BASE SLOW: that of the two which belongs to the form.
in_form() { if [ "$form" = slow ]; then echo "$2"; else echo "$1"; fi; }

# wait_for COMMAND...: until it succeeds, five seconds at most.
wait_for() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] || { echo "$0: no answer after five seconds: $*" >&2; exit 1; }
    sleep 0.05
  done
}

# repeat TIMES PAUSE COMMAND...: with so many seconds after each time; what it prints is not looked at.
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

# text BYTES: lines that compress about as well as logs do.
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
