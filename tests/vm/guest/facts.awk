# SPDX-License-Identifier: BSD-2-Clause
# Holds what a file says of tasks against what /proc said of them.
#   awk -f facts.awk TASKS DUMP
# TASKS: a line for each task, "TID|TGID|NAME|UID|CGROUP|COMMAND LINE". DUMP: what `fxt dump` prints.
# A task that the file does not know is none of its faults, and neither is one that TASKS does not know; a fact
# may be missing. One that is there has to be right. Prints each that is not, then how many threads were compared.

# What stands behind KEY in the braces of an object, with its quotes if it has some; "" without it.
function fact(line, key,    from, rest) {
  from = index(line, " {") + 1
  rest = substr(line, from + 1)
  if (from == 1 || !match(" " rest, " " key "=")) return ""
  rest = substr(rest, RSTART + length(key) + 1)
  if (substr(rest, 1, 1) == "\"") return match(substr(rest, 2), /"/) ? substr(rest, 1, RSTART + 1) : rest
  match(rest, /[ }]/)
  return substr(rest, 1, RSTART - 1)
}

function wrong(what, got, wanted) { print tid " " what " is " got " instead of " wanted; ++faults }

# A kworker's name in /proc goes on with what it works at. Of a worker with another name it has 15
# letters, where the kernel has more.
function same_name(got, wanted) {
  return got == wanted || (got ~ /^kworker/ && index(wanted, got) == 1) ||
         (length(wanted) == 15 && index(got, wanted) == 1)
}

NR == FNR {
  split($0, field, "|")
  tid = field[1]
  tgid_of[tid] = field[2]; name_of[tid] = field[3]
  uid_of[tid] = field[4]; cgroup_of[tid] = field[5]; command_of[tid] = field[6]
  next
}

/ kernel-object type=(thread|process) / {
  match($0, /koid=[0-9]+/)
  tid = substr($0, RSTART + 5, RLENGTH - 5)
  if (!(tid in tgid_of) || (tid in seen && $0 ~ /type=thread/)) next
  name = substr($0, RSTART + RLENGTH + 6)
  sub(/ \{.*/, "", name)
  gsub(/"/, "", name)
  if (!same_name(name, name_of[tid])) wrong("name", name, name_of[tid])
  if ($0 ~ /type=thread/) {
    seen[tid] = 1
    ++threads
    if (fact($0, "process") != "#" tgid_of[tid]) wrong("process", fact($0, "process"), "#" tgid_of[tid])
    next
  }
  if (tid != tgid_of[tid]) wrong("process object", "there", "none: it is a thread of " tgid_of[tid])
  if (fact($0, "uid") != "" && fact($0, "uid") != uid_of[tid]) wrong("uid", fact($0, "uid"), uid_of[tid])
  cgroup = fact($0, "cgroup"); gsub(/"/, "", cgroup)
  if (cgroup != "" && cgroup != cgroup_of[tid]) wrong("cgroup", cgroup, cgroup_of[tid])
  command = fact($0, "cmdline"); gsub(/"/, "", command)
  if (command != "" && command != command_of[tid]) wrong("cmdline", command, command_of[tid])
}

END { print threads + 0 " threads compared"; exit faults > 0 }
