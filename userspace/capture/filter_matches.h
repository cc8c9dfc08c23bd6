// SPDX-License-Identifier: BSD-2-Clause
// Which of a filter's values there is a task for at the start. One without may be right, a program
// that is to come, or a typing error: then nothing would say why the file is empty.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "capture/bpf/bpf_programs.h"
#include "fxt_record/event.h"

namespace capture {

class FilterMatches {
 public:
  FilterMatches() = default;
  // `cgroup_paths`: those of the filter's cgroups, in its order.
  FilterMatches(const TaskFilter& filter, std::vector<std::string> cgroup_paths);

  // A task that exists; `cgroup_path` empty: not known, so it might be in any.
  void OnTask(const fxr_task& task, std::string_view cgroup_path);

  // Whether a task matched the filter's value at `index`, in the order of TaskFilter.
  bool tid(size_t index) const { return tids_[index]; }
  bool tgid(size_t index) const { return tgids_[index]; }
  bool comm(size_t index) const { return comms_[index]; }
  bool cgroup(size_t index) const { return cgroups_[index]; }

 private:
  TaskFilter filter_;
  std::vector<std::string> cgroup_paths_;
  std::vector<bool> tids_, tgids_, comms_, cgroups_;
};

}  // namespace capture
