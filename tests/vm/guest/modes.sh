# SPDX-License-Identifier: BSD-2-Clause
# A function for each mode of scripts/vm_matrix_lib/modes.py.

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
  tail -n +2 list.txt | while read -r category rest; do
    case "$rest" in
      *"not available"*)
        refused "$category" "$category" fxt-record -q -o "$category.fxt" -c "$category" -- true
        # Nothing here to record is not a failure; a bad refusal is one by the line above.
        skip "category:$category" "${rest##*not available: }" ;;
      *)
        record "$category" -c "$category" -- sh -c \
          'workload script; dd if=/dev/zero of=/dev/nvme0n1 bs=4k count=16 conv=fsync' || {
            fail "category:$category" "is called available and does not record"; continue; }
        sound "$category"
        count=$(events "$category" "$category")
        if [ "${count:-0}" -gt 0 ]; then
          pass "category:$category" "$count events"
        else
          fail "category:$category" "recorded nothing"
        fi ;;
    esac
  done
  record all -c all -- workload script && sound all
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
  # And one that is offline when the recording starts.
  echo 0 > $online
  record without -- sh -c "workload script; echo 1 > $online; workload pingpong --cpu 1 --count 500" && sound without
  echo 1 > $online
}

mode_clock_set() {
  # 2001-09-09; and an hour ahead of where it was.
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

mode_capabilities() {
  chmod 777 .
  who="as_user 1000 bpf,perfmon"
  # Before 5.11 BPF memory counts as locked memory of the user.
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
  refused nobody "root" as_user 1000 none fxt-record -q -o nobody.fxt -- true
  # Files are anybody's.
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
