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
