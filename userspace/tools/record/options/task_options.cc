// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/task_options.h"

namespace tools {
namespace {

constexpr uint32_t kMaxTid = (1u << 22) - 1;  // the kernel's PID_MAX_LIMIT is one more

}  // namespace

void AddTaskOptions(const Command& command, request::TaskFilter& filter) {
  command
      .Add(
          "-p,--pid,--tgid", filter.pids,
          "Record only events that involve threads of this process, by its id in the pid namespace "
          "of the recorder (may be repeated; several filters are a "
          "union)")
      .Type("PID")
      .Range(1u, kMaxTid)
      .Commas();
  command.Add("-t,--tid", filter.tids, "... only this thread")
      .Type("TID")
      .Range(1u, kMaxTid)
      .Commas();
  command.Add("--comm", filter.comms, "... threads of this name (15 bytes count)").Type("NAME");
  command.Add("--cgroup", filter.cgroups, "... threads of this cgroup and of the cgroups below it")
      .Type("PATH");
  command.Add("--follow", filter.follow,
              "With --pid, --tid, --comm: also the descendants that these create during the "
              "recording");
}

}  // namespace tools
