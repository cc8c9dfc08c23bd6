// SPDX-License-Identifier: BSD-2-Clause
// Records which values of a filter match an existing task at the start. An unmatched value may name
// a future program or be a typing error, which would leave the file empty.
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
  // `cgroup_paths` are those of the filter's cgroups, in its order.
  FilterMatches(const TaskFilter& filter, std::vector<std::string> cgroup_paths);

  // An existing task. An empty `cgroup_path` is unknown and matches any cgroup.
  void OnTask(const fxr_task& task, std::string_view cgroup_path);

  // True if a task matched the filter's value at `index`, in the order of TaskFilter.
  bool tid(size_t index) const { return tids_[index]; }
  bool tgid(size_t index) const { return tgids_[index]; }
  // The process of the thread whose id is the value at `index` of tgids; 0: no thread has that id.
  uint32_t process_of_thread(size_t index) const { return processes_of_threads_[index]; }
  bool comm(size_t index) const { return comms_[index]; }
  bool cgroup(size_t index) const { return cgroups_[index]; }

 private:
  TaskFilter filter_;
  std::vector<std::string> cgroup_paths_;
  std::vector<uint32_t> processes_of_threads_;
  std::vector<bool> tids_, tgids_, comms_, cgroups_;
};

}  // namespace capture
