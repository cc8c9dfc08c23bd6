// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/task_choice.h"

namespace tools {
namespace {

constexpr uint32_t kMaxTid = (1u << 22) - 1;  // the kernel's PID_MAX_LIMIT is one more

}  // namespace

void TaskChoice::AddTo(const Command& command) {
  command
      .Add("-p,--pid", tids,
           "Record only events that involve this thread id, of the process namespace that "
           "the recorder runs in (may be repeated; the filters together are a union)")
      .Type("TID")
      .Range(1u, kMaxTid)
      .Commas();
  command.Add("-t,--tgid", tgids, "... that involve threads of this process id")
      .Type("PID")
      .Range(1u, kMaxTid)
      .Commas();
  command.Add("--comm", comms, "... threads of this name (15 bytes count)").Type("NAME");
  command.Add("--cgroup", cgroups, "... threads of this cgroup and those below it").Type("PATH");
  command.Add("--follow", follow,
              "With --pid, --tgid, --comm: also the children and threads that these make from the "
              "start on, and theirs");
}

}  // namespace tools
