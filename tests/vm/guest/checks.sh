# SPDX-License-Identifier: BSD-2-Clause
# What the modes are made of. Each check says one line; $mode is the mode under way, the current folder
# its place for files.

pass() { check=$1; shift; say "$mode" "$check" pass "$@"; }
fail() { check=$1; shift; say "$mode" "$check" fail "$@"; }
skip() { check=$1; shift; say "$mode" "$check" skip "$@"; }

# The last line of a file that says something, for a result's detail.
last_word() { grep -v '^[[:space:]]*$' "$1" 2>/dev/null | tail -n 1 | tr -d '\r' | cut -c1-300; }

# limited SECONDS COMMAND...: ends it, with status 143 or 137, when it takes longer.
limited() { seconds=$1; shift; timeout -k 5 "$seconds" "$@"; }

# record NAME OPTIONS... -- COMMAND...: a capture into NAME.fxt that has to succeed.
record() {
  name=$1; shift
  limited 40 fxt-record -o "$name.fxt" "$@" > "$name.out" 2> "$name.err"
  status=$?
  [ $status = 0 ] && pass "record:$name" && return 0
  fail "record:$name" "exit $status: $(last_word "$name.err")"
  return 1
}

# sound NAME: NAME.fxt has no findings.
sound() {
  limited 30 fxt check "$1.fxt" > "$1.check" 2>&1
  status=$?
  [ $status = 0 ] && pass "sound:$1" && return 0
  fail "sound:$1" "exit $status: $(last_word "$1.check")"
  return 1
}

# truth NAME [COMMAND OPTION...] -- WORKLOAD...: a capture held against ftrace's of the same seconds.
truth() {
  name=$1; shift
  limited 50 ftrace_compare run --recorder /bin/fxt-record --keep "$name.fxt" "$@" > "$name.truth" 2>&1
  status=$?
  [ $status = 0 ] && pass "truth:$name" "$(last_word "$name.truth")" && return 0
  fail "truth:$name" "exit $status: $(last_word "$name.truth")"
  return 1
}

# told NAME STATUS: what failed said so in a line or two, not with a crash. STATUS is its exit status.
told() {
  lines=$(grep -c . "$1.err")
  if [ "$2" = 0 ] || [ "$2" -ge 124 ]; then
    fail "told:$1" "exit $2: $(last_word "$1.err")"
  elif [ "$lines" -lt 1 ] || [ "$lines" -gt 3 ]; then
    fail "told:$1" "$lines lines instead of one or two: $(last_word "$1.err")"
  else
    pass "told:$1" "exit $2: $(head -n 1 "$1.err" | cut -c1-300)"
  fi
}
