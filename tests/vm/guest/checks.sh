# SPDX-License-Identifier: BSD-2-Clause
# The checks of the modes. Each prints one line. $mode is the current mode; its files are in the current
# folder.

pass() { check=$1; shift; say "$mode" "$check" pass "$@"; }
fail() { check=$1; shift; say "$mode" "$check" fail "$@"; }
skip() { check=$1; shift; say "$mode" "$check" skip "$@"; }

# Prints the last nonempty line of a file, for the detail of a result.
last_word() { grep -v '^[[:space:]]*$' "$1" 2>/dev/null | tail -n 1 | tr -d '\r' | cut -c1-300; }

# limited SECONDS COMMAND...: ends the command after the limit, with status 143 or 137.
limited() { seconds=$(($1 * ${time_factor:-1})); shift; timeout -k 5 "$seconds" "$@"; }

# The user of the recorder. A mode may set: who="as_user 1000 bpf,perfmon"
who=

# The time limit and the recorder of `truth`, which a mode may change.
recorder=/bin/fxt-record
truth_limit=50
truth_tolerance_us=1000
record_limit=40
# One event in this many may be a miss, where a mode says so. See lost_to_recursion.
recursion_parts=

# record NAME OPTIONS... -- COMMAND...: records NAME.fxt, which has to succeed without loss.
record() {
  name=$1; shift
  # shellcheck disable=SC2086 # words
  limited $record_limit $who fxt-record -q -o "$name.fxt" --stats-json "$name.json" "$@" > "$name.out" 2> "$name.err"
  status=$?
  if [ $status != 0 ]; then
    fail "record:$name" "exit $status: $(last_word "$name.err")"
    return 1
  fi
  lost=$(figure "$name" lost_events)
  if [ "$lost" != 0 ] && ! lost_to_recursion "$name"; then
    fail "record:$name" "${lost:-unknown} events lost ($(figure "$name" recursion_misses) skipped by the kernel)"
    return 1
  fi
  pass "record:$name" "$(figure "$name" raw_events) events, $lost lost, $(figure "$name" peak_memory_bytes) bytes of memory at most"
}

# The kernel skips a BPF program where an interrupt arrives in the middle of the same one, and since Linux 7.0 also while
# another task of the CPU is preempted in it, which an emulated CPU makes likely. The kernel counts the misses, and the
# file has them. A loss of another kind is a failure; so are more misses than one in a thousand, or one in twenty since 7.0.
lost_to_recursion() {
  missed=$(figure "$1" recursion_misses)
  parts=20
  kernel_before 7 0 && parts=${recursion_parts:-1000}
  [ "${missed:-0}" = "$(figure "$1" lost_events)" ] && [ "$((missed * parts))" -le "$(figure "$1" raw_events)" ]
}

# figure NAME KEY: prints a number of the summary of a capture.
figure() { sed -n "s/^ *\"$2\": \([0-9]*\),*$/\1/p" "$1.json" 2>/dev/null | head -n 1; }

# events NAME CATEGORY: prints the number of events of a category.
events() { sed -n '/^  "events": {/,/}/s/^ *"'"$2"'": \([0-9]*\).*/\1/p' "$1.json" 2>/dev/null; }

# sound NAME: checks that NAME.fxt is valid.
sound() {
  limited 30 fxt check "$1.fxt" > "$1.check" 2>&1
  status=$?
  [ $status = 0 ] && pass "sound:$1" && return 0
  fail "sound:$1" "exit $status: $(last_word "$1.check")"
  return 1
}

# truth NAME COMMAND...: compares a capture with ftrace. A guest hides nothing from its tracers, so every gap is
# a difference. An emulated CPU may pause between two tracers, and in the middle of a rename.
truth() {
  name=$1; shift
  limited $((truth_limit + 5)) ftrace_compare run --recorder "$recorder" --keep "$name.fxt" --keep-log "$name.ftr" \
    --buffer-mib 16 --limit $((truth_limit * ${time_factor:-1})) --blind-init no --blind-idle none --tolerance-us "$truth_tolerance_us" \
    --rename-us 50000 -- "$@" > "$name.truth" 2>&1
  status=$?
  if [ $status = 0 ]; then
    pass "truth:$name" "$(sed -n '1p' "$name.truth" | cut -c1-300)"
    rm -f "$name.ftr"
    sound "$name"
  else
    fail "truth:$name" "exit $status: $(sed -n '1p' "$name.truth" | cut -c1-300)"
    return 1
  fi
}

# wakers NAME WOKEN WAKER LEAST: in NAME.fxt, WAKER woke threads with the name WOKEN at least LEAST times; an empty
# WAKER is an interrupt. Other wakers are errors, except the thread that migrates them.
wakers() {
  fxt dump "$1.fxt" | awk -v woken="$2" -v waker="$3" '
    function name(field) { sub(/^[a-z]*=/, "", field); sub(/\[.*/, "", field); return field }
    $2 == "wakeup" && name($4) == woken { if (name($5) !~ /^migration\//) ++count[name($5)] }
    END {
      printf "%d", count[waker]
      for (other in count) if (other != waker) printf " %s:%d", other == "" ? "an interrupt" : other, count[other]
      print ""
    }' > "$1.$2.wakers"
  read -r right others < "$1.$2.wakers"
  if [ -z "$others" ] && [ "$right" -ge "$4" ]; then
    pass "wakers:$1:$2" "$right times by ${3:-an interrupt}"
  else
    fail "wakers:$1:$2" "$right times by ${3:-an interrupt} instead of $4 at least; by others: ${others:-none}"
  fi
}

# list_tasks: prints a line for each task, for facts.awk.
list_tasks() {
  for folder in /proc/[0-9]*; do
    uid='' cgroup=''
    while read -r key value _; do [ "$key" = Uid: ] && uid=$value; done < "$folder/status"
    while IFS=: read -r hierarchy _ path; do [ "$hierarchy" = 0 ] && cgroup=$path; done < "$folder/cgroup"
    command=$(tr '\0' ' ' < "$folder/cmdline")
    for task in "$folder"/task/[0-9]*; do
      read -r name < "$task/comm" && echo "${task##*/}|${folder#/proc/}|$name|$uid|$cgroup|${command% }"
    done
  done 2>/dev/null
}

# refused NAME WORD COMMAND...: the command fails without a file and prints one or two lines with WORD.
refused() {
  name=$1 word=$2; shift 2
  limited 30 "$@" > "$name.out" 2> "$name.err"
  status=$?
  lines=$(grep -c . "$name.err")
  said=$(head -n 2 "$name.err" | tr '\n' ' ' | cut -c1-300)
  if [ $status = 0 ] || [ $status -ge 124 ]; then
    fail "refused:$name" "exit $status: $said"
  elif [ "$lines" -lt 1 ] || [ "$lines" -gt 3 ]; then
    fail "refused:$name" "$lines lines instead of one or two: $said"
  elif ! grep -qi -e "$word" "$name.err"; then
    fail "refused:$name" "the message lacks $word: $said"
  elif [ -e "$name.fxt" ]; then
    fail "refused:$name" "left a file: $said"
  else
    pass "refused:$name" "exit $status: $said"
  fi
}

# kernel_before MAJOR MINOR
kernel_before() {
  uname -r | awk -F. -v major="$1" -v minor="$2" '{ exit !($1 < major || ($1 == major && $2 + 0 < minor)) }'
}
