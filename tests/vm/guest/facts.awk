# SPDX-License-Identifier: BSD-2-Clause
# Compares the tasks in a file with those of /proc.
#   awk -f facts.awk TASKS DUMP
# TASKS: a line for each task, "TID|TGID|NAME|UID|CGROUP|COMMAND LINE". DUMP: the output of `fxt dump`.
# Tasks that only one of them has are ignored, and so are missing facts. A fact in the file has to be correct.
# Prints each wrong fact, then the number of compared threads.

# Returns the value of KEY in the braces of an object, with its quotes, or "".
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

# In /proc the name of a kworker continues with its work queue. Other names have 15 letters there.
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
