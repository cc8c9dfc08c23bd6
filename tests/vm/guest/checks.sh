# SPDX-License-Identifier: BSD-2-Clause
# What the modes are made of. Each check says one line; $mode is the mode under way, the current folder
# its place for files.

pass() { check=$1; shift; say "$mode" "$check" pass "$@"; }
fail() { check=$1; shift; say "$mode" "$check" fail "$@"; }
skip() { check=$1; shift; say "$mode" "$check" skip "$@"; }

# The last line of a file that says something, for a result's detail.
last_word() { grep -v '^[[:space:]]*$' "$1" 2>/dev/null | tail -n 1 | tr -d '\r' | cut -c1-300; }

# limited SECONDS COMMAND...: ends it, with status 143 or 137, when it takes longer.
limited() { seconds=$(($1 * ${patience:-1})); shift; timeout -k 5 "$seconds" "$@"; }

# Under whom to record; a mode may say: who="as_user 1000 bpf,perfmon"
who=

# Seconds, and whose recorder `truth` takes; a mode may say otherwise.
recorder=/bin/fxt-record
truth_limit=50
truth_tolerance_us=1000
record_limit=40

# record NAME OPTIONS... -- COMMAND...: a capture into NAME.fxt that has to succeed and to lose nothing.
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
  if [ "$lost" != 0 ] && ! lost_to_preemption "$name"; then
    fail "record:$name" "${lost:-unknown} events lost"
    return 1
  fi
  pass "record:$name" "$(figure "$name" raw_events) events, $lost lost, $(figure "$name" peak_memory_bytes) bytes of memory at most"
}

# Since 7.0 a program is left out while another task of the CPU is preempted in it, which an emulated CPU makes likely,
# of system calls most. The kernel counts it, and the file says so; more than one in twenty would be something else.
lost_to_preemption() {
  kernel_before 7 0 && return 1
  left_out=$(figure "$1" recursion_misses)
  [ "${left_out:-0}" = "$(figure "$1" lost_events)" ] &&
    [ "$((left_out * 20))" -le "$(figure "$1" raw_events)" ]
}

# figure NAME KEY: a number of a capture's summary.
figure() { sed -n "s/^ *\"$2\": \([0-9]*\),*$/\1/p" "$1.json" 2>/dev/null | head -n 1; }

# events NAME CATEGORY: how many of them the kernel sent.
events() { sed -n '/^  "events": {/,/}/s/^ *"'"$2"'": \([0-9]*\).*/\1/p' "$1.json" 2>/dev/null; }

# sound NAME: NAME.fxt has no findings.
sound() {
  limited 30 fxt check "$1.fxt" > "$1.check" 2>&1
  status=$?
  [ $status = 0 ] && pass "sound:$1" && return 0
  fail "sound:$1" "exit $status: $(last_word "$1.check")"
  return 1
}

# truth NAME COMMAND...: a capture held against ftrace's of the same seconds. Guests hide nothing from their
# tracers, so every gap is a difference. An emulated CPU takes its time between one tracer and the next, and
# its turn of the emulation may end in the middle of a rename.
truth() {
  name=$1; shift
  limited $((truth_limit + 5)) ftrace_compare run --recorder "$recorder" --keep "$name.fxt" --keep-log "$name.ftr" \
    --buffer-mib 16 --limit $((truth_limit * ${patience:-1})) --blind-init no --blind-idle none --tolerance-us "$truth_tolerance_us" \
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

# wakers NAME WOKEN WAKER LEAST: in NAME.fxt threads called WOKEN were woken LEAST times by threads called WAKER, or
# by nobody where WAKER is empty, and by nobody else, but for the thread that moves them to another CPU.
wakers() {
  fxt dump "$1.fxt" | awk -v woken="$2" -v waker="$3" '
    function name(field) { sub(/^[a-z]*=/, "", field); sub(/\[.*/, "", field); return field }
    $2 == "wakeup" && name($4) == woken { if (name($5) !~ /^migration\//) ++count[name($5)] }
    END {
      printf "%d", count[waker]
      for (other in count) if (other != waker) printf " %s:%d", other == "" ? "nobody" : other, count[other]
      print ""
    }' > "$1.$2.wakers"
  read -r right others < "$1.$2.wakers"
  if [ -z "$others" ] && [ "$right" -ge "$4" ]; then
    pass "wakers:$1:$2" "$right times by ${3:-nobody}"
  else
    fail "wakers:$1:$2" "$right times by ${3:-nobody} instead of $4 at least; by others: ${others:-none}"
  fi
}

# list_tasks: a line for each task of the machine, as facts.awk takes it.
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

# refused NAME WORD COMMAND...: it does not record, leaves no file, and says so in a line or two that hold WORD.
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
    fail "refused:$name" "not a word of $word: $said"
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
