# SPDX-License-Identifier: BSD-2-Clause
# The modes of scripts/vm_matrix_lib/modes.py, a function each.

mode_probe() {
  vm_probe > probe.txt 2>&1
  for fact in btf.bytes tp_btf.attach iter.task map.ringbuf; do
    value=$(sed -n "s/^probe $fact //p" probe.txt)
    case "$value" in
      ok | [1-9]*) pass "$fact" "$value" ;;
      *) fail "$fact" "$value" ;;
    esac
  done
  cat /proc/cpuinfo /proc/meminfo > machine.txt
}

mode_truth() {
  truth script workload script --rounds 2
  truth pingpong workload pingpong --cpu 0 --count 3000
  if fxt dump script.fxt 2>&1 | grep -q 'workload: hello'; then
    pass kernel-message
  else
    fail kernel-message "the workload's message is not in the file"
  fi
}

mode_categories() {
  if ! limited 20 fxt-record --list-categories > list.txt 2> list.err; then
    fail list "$(last_word list.err)"
    return
  fi
  # The costs of options follow after an empty line.
  sed -e 1d -e '/^$/,$d' list.txt | while read -r category rest; do
    case "$rest" in
      *"not available"*)
        refused "$category" "$category" fxt-record -q -o "$category.fxt" -c "$category" -- true
        # A category that this kernel lacks is not a failure.
        skip "category:$category" "${rest##*not available: }" ;;
      *)
        # Some categories need an argument.
        case "$category" in
          probe) of='--uprobe /bin/probed:c_counts --usdt /bin/probed:probed:sold' ;;
          tracepoint) of='-e sched:sched_process_exec' ;;
          counter) of='--counters page-faults' ;;
          *) of= ;;
        esac
        # shellcheck disable=SC2086 # words
        record "$category" -c "$category" $of -- /guest/load "$category" || {
            fail "category:$category" "is called available and does not record"; continue; }
        sound "$category"
        count=$(events "$category" "$category")
        # Settings are read, and are no events of the kernel.
        [ "$category" != settings ] || count=$(fxt info "$category.fxt" | sed -n 's/^  settings  *\([0-9][0-9]*\)$/\1/p')
        if [ "${count:-0}" -gt 0 ]; then
          pass "category:$category" "$count events"
        else
          # Emulated CPUs have no idle states and may never contend for a lock.
          case "$category" in
            power | lock) skip "category:$category" "nothing of it happened" ;;
            *) fail "category:$category" "recorded nothing" ;;
          esac
        fi ;;
    esac
  done
  probes_of_the_program
  record all -c all -- workload script && sound all
}

# The counts of tests/capture/probed.
probes_of_the_program() {
  [ -e probe.fxt ] || return
  fxt dump probe.fxt > probe.txt
  calls=$(grep -c 'name=c_counts' probe.txt)
  hits=$(grep -c 'name=sold\|name=probed:sold' probe.txt)
  if [ "$calls" -ge 2100 ] && [ "$hits" = 6 ]; then pass probes "$calls records of calls, $hits hits"
  else fail probes "$calls records of calls instead of 2100 at least, $hits hits instead of 6"; fi
}

mode_arguments() {
  if kernel_before 5 15; then
    refused kernel "5.15" fxt-record -q -o kernel.fxt --kprobe vfs_write -- true
    skip program "Linux 5.15 or later is needed to distinguish probes"
    return
  fi
  arguments_of_the_program
  arguments_of_the_kernel
  # Timers interrupt programs of other functions, which an emulated CPU makes likely.
  recursion_parts=20
  record vfs -c task --kprobe 'vfs_*' --kprobe 'hrtimer_*+retval' --only-command -- /guest/load arguments && sound vfs && {
    fxt dump vfs.fxt > vfs.txt
    calls=$(grep -c ' begin category=probe name=vfs_write thread=dd' vfs.txt)
    pattern=$(grep 'without .* functions' vfs.err | head -n 1)
    if [ "$calls" -ge 210 ]; then pass kernel:pattern "$calls calls; $pattern"
    else fail kernel:pattern "$calls calls instead of 210 at least"; fi
  }
  # Functions of interrupts, also while the CPU is idle.
  record interrupts -c task --kprobe 'hrtimer_*' --kprobe 'tick_*' --kprobe 'vfs_write+retval' -- sh -c '/guest/load arguments; sleep 1' &&
    sound interrupts && {
      fxt dump interrupts.fxt | grep ' category=probe ' > interrupts.txt
      left=$(grep -c no_return interrupts.txt)
      calls=$(grep -c ' begin ' interrupts.txt)
      if [ "$left" = 0 ] && [ "$calls" -gt 1000 ]; then pass kernel:interrupts "$calls calls"
      else fail kernel:interrupts "$calls calls, $left without a return"; fi
    }
  recursion_parts=
  refused missing "did you mean" fxt-record -q -o missing.fxt --kprobe vfs_wrte -- true
  refused untraced "does not trace it" fxt-record -q -o untraced.fxt --kprobe exc_page_fault -- true
}

# Compares two lists of calls.
same_calls() {
  if [ ! -s "$2" ]; then fail "$1" "no calls in $2"
  elif cmp -s "$2" "$3"; then pass "$1" "$(grep -c . "$2") calls"
  else fail "$1" "$(grep -c . "$2") calls instead of $(grep -c . "$3"): $(diff "$2" "$3" | head -n 4 | tr '\n' ';')"; fi
}

# What tests/capture/arguments prints of its calls, by names of parameters in the debug information.
arguments_of_the_program() {
  record program -c task --only-command --uprobe '/bin/arguments:reads(number)+retval if number > 5000' --uprobe '/bin/arguments:copies(name:str, len)' \
    --uprobe '/bin/arguments:members(request->size, request->path:str, request->next->size, last)+retval' -- arguments &&
    sound program || return
  sed -n 's/^{"f": "members", "size": \([0-9]*\), "path": "\([^"]*\)".* "inner": \([0-9]*\),.* "last": \([0-9]*\), "ret": \([0-9]*\)}/\1 \2 \3 \4 \5/p' \
    program.out > program.printed
  fxt dump program.fxt > program.txt
  sed -n 's/.* category=probe name=members .* {\(.*\)}$/\1/p' program.txt | sed 's/[^ ]*=//g' | paste -d' ' - - > program.members
  same_calls program:arguments program.members program.printed
  sed -n 's/^{"f": "copies", "name": "\([a-z]*\)", "len": \([0-9]*\),.*/\1 \2/p' program.out | cut -c1-200 > copies.printed
  sed -n 's/.* begin .* name=copies .* {name=\(.*\) len=\([0-9]*\)}$/\1 \2/p' program.txt | tr -d '"' | cut -c1-200 > program.copies
  same_calls program:strings program.copies copies.printed
  calls=$(grep -c ' begin category=probe name=reads ' program.txt)
  if [ "$calls" = 499 ]; then pass program:filter "$calls calls"; else fail program:filter "$calls calls instead of 499"; fi
}

# What dd is asked to write, and what ftrace's kprobes see.
arguments_of_the_kernel() {
  for i in $(seq 1 20); do
    for _ in $(seq 1 "$i"); do echo "$((i * 1000)) $((i * 1000))"; done
  done > kernel.asked
  tracing=/sys/kernel/tracing
  echo 'p:guest/write vfs_write bytes=$arg3:s64' > $tracing/kprobe_events
  echo 'r:guest/written vfs_write bytes=$retval:s64' >> $tracing/kprobe_events
  echo > $tracing/trace
  echo 1 > $tracing/events/guest/enable
  record kernel -c task --only-command --kprobe 'vfs_write(file->f_path.dentry->d_name.name:str, buf:str, count)+retval if count > 14' \
    --kprobe 'noop_fsync(file->f_path.dentry->d_name.name:str, start, end, datasync)+retval' -- /guest/load arguments
  recorded=$?
  echo 0 > $tracing/events/guest/enable
  cat $tracing/trace > kernel.ftrace
  echo > $tracing/kprobe_events
  [ $recorded = 0 ] && sound kernel || return
  sed -n 's/.* \(write\|written\): .* bytes=\([0-9]*000\)$/\2/p' kernel.ftrace | paste -d' ' - - > kernel.traced
  fxt dump kernel.fxt | grep ' category=probe ' > kernel.txt
  sed -n 's/.* begin .* name=vfs_write .*name=probed_file .*count=\([0-9]*000\)}$/\1/p; s/.* end .* name=vfs_write .*{retval=\([0-9]*000\)}$/\1/p' \
    kernel.txt | paste -d' ' - - > kernel.recorded
  same_calls kernel:arguments kernel.recorded kernel.asked
  same_calls kernel:ftrace kernel.recorded kernel.traced
  synced=$(grep -c ' begin .* name=noop_fsync .*name=probed_file start=0 end=9223372036854775807 datasync=0}' kernel.txt)
  returned=$(grep -c ' end .* name=noop_fsync .*{retval=0}' kernel.txt)
  if [ "$synced $returned" = "20 20" ]; then pass kernel:fsync "20 calls"; else fail kernel:fsync "$synced calls, $returned returns"; fi
  if grep -q 'buf="*hello from a program' kernel.txt; then pass kernel:user-string; else fail kernel:user-string "$(grep -c . kernel.txt) records"; fi
}

# Programs of tests/capture/unwound: they print their sleeps by function, in ns, and some of their stacks. Those of
# tests/capture/burners run in short functions.
mode_unwound() {
  stacks_of static /bin/unwound_static && times_of static /bin/unwound_static
  samples_of static_samples /bin/burners_static 60
  if [ ! -e /bin/unwound ]; then
    skip shared "no shared C library for the guest"
    return
  fi
  stacks_of shared /bin/unwound && times_of shared /bin/unwound
  stacks_of stripped /bin/unwound_stripped
  samples_of samples /bin/burners 60
  samples_of exceptions /bin/burners 60 throw
}

# stacks_of NAME PROGRAM: each stack that the program prints is in the file, and stacks end at the thread's entry.
stacks_of() {
  record "$1" -c default,stack:off --only-command -- "$2" 40 && sound "$1" || return
  fxt dump --type backtrace "$1.fxt" | sed -n 's/.* frames=\([0-9a-fx,]*\).*/,\1/p' > "$1.recorded"
  sed -n 's/^stack//p' "$1.out" | sed 's/ /,0x/g' > "$1.printed"
  awk 'FNR == NR { recorded[++count] = $0; next }
    {
      found = 0
      for (i = 1; i <= count && !found; ++i)
        found = length(recorded[i]) >= length($0) && substr(recorded[i], length(recorded[i]) - length($0) + 1) == $0
      if (!found) print
    }' "$1.recorded" "$1.printed" > "$1.missing"
  printed=$(grep -c . "$1.printed") missing=$(grep -c . "$1.missing")
  if [ "$printed" = 8 ] && [ "$missing" = 0 ]; then pass "stacks:$1" "$printed stacks"
  else fail "stacks:$1" "$missing of $printed stacks are not in the file: $(head -n 1 "$1.missing")"; fi
  # Those of a program's first moments are unwound before its mappings are known.
  complete_ends "$1" off 40 10
}

# complete_ends NAME PART LEAST PARTS: more than LEAST stacks end at the entry, and fewer than one in PARTS elsewhere.
complete_ends() {
  fxt query --csv "$1.fxt" "SELECT json_extract(args, '\$.end'), count(*) FROM instants
    WHERE category = 'stack' AND name = '$2' GROUP BY 1" | sed 1d > "$1.ends"
  complete=$(sed -n 's/^entry,//p' "$1.ends")
  all=$(awk -F, '{ all += $2 } END { print all + 0 }' "$1.ends")
  if [ "${complete:-0}" -gt "$3" ] && [ $(((all - complete) * $4)) -le "$all" ]; then pass "complete:$1" "$complete of $all"
  else fail "complete:$1" "of $all: $(tr '\n' ' ' < "$1.ends")"; fi
}

# samples_of NAME PROGRAM...: samples of short functions have all callers, at whatever instruction they were taken.
samples_of() {
  name=$1; shift
  record "$name" -c default,stack:on --stack-frequency 999 --only-command -- "$@" && sound "$name" || return
  complete_ends "$name" on 200 50
  # Where exceptions pass, the unwinder of the C++ library runs, too.
  [ $# = 2 ] || return
  fxt flame --of on --format folded "$name.fxt" -o - | awk '{
      samples = $NF
      sub(/ [0-9]*$/, "")
      count = split($0, frame, ";")
      at = 0
      for (i = 3; i <= count && !at; ++i) if (frame[i] == "rounds") at = i
      if (!at || !/;burn_(six|ten|three);/) next
      callees = ""
      for (i = at + 1; i <= count; ++i) if (frame[i] !~ /_\[k\]$/) callees = callees ";" frame[i]
      whole = frame[3] == "_start" && /;main;/ && frame[at - 1] ~ /^burn_/ && (callees == "" || callees == ";step" || callees == ";step;leaf")
      if (whole) good += samples
      else { bad += samples; print samples, $0 }
    }
    END { print good + 0, bad + 0 }' > "$name.chains"
  tail -n 1 "$name.chains" > "$name.counts"
  read -r whole broken < "$name.counts"
  if [ "$whole" -gt 200 ] && [ $((broken * 200)) -le $((whole + broken)) ]; then pass "callers:$name" "$whole samples, $broken others"
  else fail "callers:$name" "$whole samples with all callers, $broken others: $(head -n 1 "$name.chains")"; fi
}

# times_of NAME PROGRAM: the time of each function by its stacks is that of the program's own clock.
times_of() {
  # Something else may run between the end of a sleep and the program's reading of the clock.
  for attempt in 1 2 3; do
    [ $attempt = 1 ] || record "$1" -c default,stack:off --only-command -- "$2" 40 || return
    fxt flame --format folded "$1.fxt" -o "$1.folded"
    # Other functions call nap_short, too.
    if awk 'FNR == NR { if (/^nap_(three|five) /) truth[$1] = $2; next }
      { for (name in truth) if (index($0, ";" name ";")) us[name] += $NF }
      END {
        for (name in truth) {
          share = us[name] * 1000 / truth[name]
          printf "%s %.4f of %.1f ms; ", name, share, truth[name] / 1e6
          ++names
          if (share < 0.97 || share > 1.03) wrong = 1
        }
        exit wrong || names != 2
      }' "$1.out" "$1.folded" > "$1.shares"
    then
      pass "times:$1" "$(cat "$1.shares")"
      return
    fi
  done
  fail "times:$1" "$(cat "$1.shares")"
}

mode_no_tracefs() {
  umount /sys/kernel/tracing
  if [ -e /sys/kernel/tracing/events ] || [ -e /sys/kernel/debug/tracing ]; then
    fail unmounted "tracefs is still there"
  fi
  record script -- workload script && sound script
  mount -t tracefs tracefs /sys/kernel/tracing
}

mode_read_only() {
  mount -o remount,ro /
  if touch /probe 2>/dev/null; then fail mounted "the root can be written"; fi
  record script -- workload script && sound script
  refused onto-it "read-only" fxt-record -o /trace.fxt -- true
  mount -o remount,rw /
}

mode_cpu_offline() {
  online=/sys/devices/system/cpu/cpu1/online
  truth hotplug sh -c "workload script; echo 0 > $online; workload script; echo 1 > $online
    workload pingpong --cpu 1 --count 500"
  [ "$(cat $online)" = 1 ] || fail online "CPU 1 did not come back"
  # A CPU that is offline at the start of the recording.
  echo 0 > $online
  record without -- sh -c "workload script; echo 1 > $online; workload pingpong --cpu 1 --count 500" && sound without
  echo 1 > $online
}

mode_clock_set() {
  # 2001-09-09, then an hour ahead of the original time.
  truth jumps sh -c 'now=$(date +%s); workload script; date -s @1000000000; workload script
    date -s @$((now + 3600)); workload pingpong --count 300'
}

mode_pid_max() {
  before=$(cat /proc/sys/kernel/pid_max)
  echo 500 > /proc/sys/kernel/pid_max
  truth wrapping workload forkstorm --count 1500
  record wrapped -- workload forkstorm --count 1500 && sound wrapped
  echo "$before" > /proc/sys/kernel/pid_max
}

mode_wakers() {
  record timers -c sched -- workload timer-wakeups --cpu 1 --count 200 && sound timers && wakers timers wl-sleeper "" 180
  for where in 0 -1; do
    record pipes$where -c sched -- workload pingpong --cpu $where --count 500 && sound pipes$where || continue
    # On one CPU the waker may be preempted before it sleeps, so it needs no wakeup itself.
    wakers pipes$where wl-ping wl-pong 0
    all=$right
    wakers pipes$where wl-pong wl-ping 0
    all=$((all + right))
    if [ $all -ge 450 ]; then pass "wakers:pipes$where:both" "$all"
    else fail "wakers:pipes$where:both" "$all instead of 450 at least"; fi
  done
}

mode_time_namespace() {
  if [ ! -e /proc/self/ns/time ]; then
    skip namespace "this kernel has no time namespaces"
    return
  fi
  read -r uptime _ < /proc/uptime
  back=$((${uptime%.*} - 2))
  recorder=/guest/recorder_elsewhere
  export recorder_in command_in="in_namespace first-time"
  # The offsets of the monotonic clock and the boot clock.
  for offsets in "1000000 2000000" "-$back -$((back / 2))"; do
    recorder_in="time $offsets"
    name=$(echo "$offsets" | tr ' ' ,)
    # shellcheck disable=SC2086 # words
    there=$(in_namespace $recorder_in cut -d. -f1 /proc/uptime)
    if [ "$there" -gt 1000000 ] || [ "$there" -lt "$((back / 2 + 60))" ]; then pass "offset:$name" "uptime $there"
    else fail "offset:$name" "uptime $there"; fi
    truth "at$name" workload script
  done
  recorder=/bin/fxt-record
}

mode_pid_namespace() {
  as_user 1000 none workload --time-limit 200 resident --name wl-outside &
  outsider=$!
  mkdir -p /sys/fs/cgroup/outside
  echo $outsider > /sys/fs/cgroup/outside/cgroup.procs
  grep -q '^0::/outside$' /proc/$outsider/cgroup || fail cgroup "the process outside is in $(cat /proc/$outsider/cgroup)"
  until [ "$(cat /proc/$outsider/task/*/comm | grep -c wl-outside)" = 3 ]; do sleep 0.1; done

  recorder=/guest/recorder_elsewhere
  export recorder_in=pid command_in=
  truth inside workload script
  recorder=/bin/fxt-record

  list_tasks > before.txt
  who="in_namespace pid"
  record machine -- sleep 1 && sound machine
  who=
  list_tasks > after.txt
  # The tasks that did not change meanwhile.
  grep -Fxf before.txt after.txt > tasks.txt
  fxt dump machine.fxt > machine.txt
  if awk -f /guest/facts.awk tasks.txt machine.txt > facts.txt; then
    pass facts "$(tail -n 1 facts.txt)"
  else
    fail facts "$(grep -c ' instead of ' facts.txt) wrong: $(head -n 3 facts.txt | tr '\n' ';')"
  fi
  for task in /proc/$outsider/task/*; do
    read -r name < "$task/comm"
    if grep -q "type=thread koid=${task##*/} name=$name {process=#$outsider}" machine.txt; then pass "outside:$name"
    else fail "outside:$name" "$(grep "type=thread.*wl-outside" machine.txt | tr -s ' ' | tr '\n' ';')"; fi
  done
  kill $outsider

  picks_inside tid wl-inside
  picks_inside pid wl-inside-3
}

# picks_inside FILTER NAME: --FILTER with a number of the pid namespace selects the thread NAME, which is in every
# recorded switch.
picks_inside() {
  # shellcheck disable=SC2016 # expanded there
  limited 40 in_namespace pid sh -c 'workload resident --name wl-inside & target=$!
    until [ "$(cat /proc/$target/task/*/comm | grep -c wl-inside)" = 3 ]; do sleep 0.1; done
    fxt-record -q -o "$1.fxt" -c sched "--$1" $target -d 1s' sh "$1" > "$1.out" 2> "$1.err" ||
      { fail "filter:$1" "exit $?: $(last_word "$1.err")"; return; }
  fxt dump "$1.fxt" | grep ' switch ' > "$1.txt"
  right=$(grep -c "=$2\[" "$1.txt")
  others=$(grep -vc '=wl-inside' "$1.txt")
  if [ "$right" -ge 50 ] && [ "$others" = 0 ]; then pass "filter:$1" "$right switches"
  else fail "filter:$1" "$right switches of $2, $others of others"; fi
}

mode_capabilities() {
  chmod 777 .
  who="as_user 1000 bpf,perfmon"
  # Before Linux 5.11 BPF memory counts as locked memory of the user.
  if kernel_before 5 11; then
    refused locked-memory "ulimit -l" sh -c "ulimit -l 64; exec $who fxt-record -q -o locked-memory.fxt -- true"
  else
    ulimit -l 64
    record locked-memory -- workload pingpong --count 300 && sound locked-memory
  fi
  ulimit -l unlimited
  record script -- workload pingpong --count 300 && sound script
  [ "$(figure script switches)" -ge 600 ] || fail switches "only $(figure script switches)"
  refused perfmon-only "CAP_BPF" as_user 1000 perfmon fxt-record -q -o perfmon-only.fxt -- true
  refused bpf-only "CAP_PERFMON" as_user 1000 bpf fxt-record -q -o bpf-only.fxt -- true
  who=
}

mode_unprivileged() {
  chmod 777 .
  refused no_rights "root" as_user 1000 none fxt-record -q -o no_rights.fxt -- true
  # The files are readable by all users.
  fxt-record -q -o root.fxt -d 300ms 2>/dev/null
  chmod 644 root.fxt
  if as_user 1000 none fxt info root.fxt > info.txt 2>&1; then pass reads; else fail reads "$(last_word info.txt)"; fi
}

mode_hardened() {
  for setting in kernel/kptr_restrict=2 kernel/dmesg_restrict=1 kernel/perf_event_paranoid=4 \
                 kernel/unprivileged_bpf_disabled=1 net/core/bpf_jit_harden=2; do
    echo "${setting#*=}" > "/proc/sys/${setting%=*}" 2>/dev/null || true
  done
  truth script workload script
  echo 0 > /proc/sys/kernel/kptr_restrict
}

mode_lockdown() {
  mount -t securityfs securityfs /sys/kernel/security
  file=/sys/kernel/security/lockdown
  if ! echo integrity > $file 2>/dev/null; then
    skip lockdown "this kernel has no lockdown to switch on"
    return
  fi
  record integrity -- workload script && sound integrity
  echo confidentiality > $file
  refused confidentiality "locked down" fxt-record -q -o confidentiality.fxt -- true
}

mode_one_cpu() {
  truth script workload script
  record all -c all -- workload script && sound all
}

mode_small_memory() {
  record script -- workload script && sound script
  record all -c all -- workload script && sound all
  pass memory "$(sed -n 's/^MemAvailable: *//p' /proc/meminfo) available of $(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
}

mode_waits() {
  for module in /modules/*.ko; do insmod "$module" || fail module "$module"; done
  mkdir -p /files
  mount -t ext4 "$(disk ext4)" /files || { fail mount "$(dmesg | tail -n 1)"; return; }
  if mkswap "$(disk swap)" && swapon "$(disk swap)"; then pass swap; else fail swap; fi
  mkdir /files/waits
  record_limit=900
  export WAITING_ALONE=1
  for subject in $(argument subjects | tr ',' ' '); do
    record "$subject" -c sched,task,wait,block,fault -- waiting "$subject" "$(argument waits)" /files/waits "$(disk files)"
  done
  umount /files
  [ "$(argument exchanges)" = 0 ] || record exchanges -c sched,task -- waiting exchanges "$(argument exchanges)"
}

mode_limits() {
  # Settings are read with a hundredth of a CPU, which is slow here.
  record_limit=300
  WAITING_SETTLE_SECONDS=30
  export WAITING_SETTLE_SECONDS
  record limits -c default -- waiting limits /sys/fs/cgroup
}

# of_cpus WHICH RANGE: checks the CPUs of this machine.
of_cpus() {
  read -r range < "/sys/devices/system/cpu/$1"
  if [ "$range" = "$2" ]; then pass "cpus:$1" "$range"; else fail "cpus:$1" "$range instead of $2"; fi
}

# on_every_cpu NAME COUNT LEAST: NAME.fxt has at least LEAST switches of each of COUNT CPUs.
on_every_cpu() {
  fxt dump "$1.fxt" | awk -v count="$2" '
    $2 == "switch" { ++switches[substr($3, 5)] }
    END {
      least = switches[0]
      for (cpu = 0; cpu < count; ++cpu) if (switches[cpu] < least) least = switches[cpu]
      for (cpu in switches) ++seen
      print seen + 0, least + 0
    }' > "$1.cpus"
  read -r seen least < "$1.cpus"
  if [ "$seen" = "$2" ] && [ "$least" -ge "$3" ]; then pass "cpus:$1" "$least switches or more on each of $seen"
  else fail "cpus:$1" "$seen CPUs, $least switches on the quietest"; fi
}

mode_many_cpus() {
  of_cpus online 0-15
  # Two host CPUs emulate sixteen, so each may pause for long, even between two tracers.
  truth_limit=200 truth_tolerance_us=1000000
  # shellcheck disable=SC2016 # expanded there
  load='for cpu in $(seq 0 15); do workload --time-limit 200 pingpong --cpu $cpu --count 200 & done
    workload --time-limit 200 messaging --groups 4 --pairs 4 --count 20; wait'
  truth load sh -c "$load"
  record_limit=120
  record all -c all -- sh -c "$load" && sound all && on_every_cpu all 16 400
}

mode_possible_cpus() {
  of_cpus present 0-3
  # Linux 5.10 allocates for the CPUs in the tables of the machine; 6.12 and 7.3 do not.
  if ! kernel_before 6 9 && [ "$(cat /sys/devices/system/cpu/possible)" = 0-3 ]; then
    skip cpus:possible "this kernel has no room for CPUs beyond the four"
  else
    of_cpus possible 0-239
  fi
  truth script workload script
  before=$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo)
  record all -c all -- sh -c 'grep MemAvailable: /proc/meminfo; workload script > /dev/null' && sound all || return
  # The reported memory: the rings of the four CPUs, stacks for 16,384 sleeping threads of 1,032 bytes and 72
  # bytes of the kernel each, and at most 2 MiB for all other maps.
  reported=$(figure all kernel_memory_bytes)
  rings=$(($(figure all rings) * $(figure all ring_bytes)))
  side=$(figure all side_ring_bytes)
  least=$((rings + side))
  most=$((least + 16384 * (1032 + 72) + (2 << 20)))
  if [ "$(figure all rings)" = 4 ] && [ "${side:-0}" -gt 0 ] && [ "$side" -le $rings ] &&
    [ "${reported:-0}" -ge $least ] && [ "$reported" -le $most ]; then
    pass reported "$reported bytes, $rings of them rings and $side the side ring"
  else
    fail reported "$(figure all rings) rings of $(figure all ring_bytes) bytes, side ring ${side:-unknown}, in all ${reported:-unknown}"
  fi
  # The free memory of the machine decreases by this amount, within a tolerance. Rings for all possible CPUs would
  # take 2 GiB.
  during=$(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' all.out)
  taken=$(((before - during) * 1024))
  most=$((${reported:-0} + $(figure all peak_memory_bytes) + (16 << 20)))
  if [ $taken -le $most ]; then pass taken "$taken bytes of $most"; else fail taken "$taken bytes of $most"; fi
}
