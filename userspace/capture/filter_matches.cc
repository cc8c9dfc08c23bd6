// SPDX-License-Identifier: BSD-2-Clause
#include "capture/filter_matches.h"

#include <cstring>
#include <utility>

namespace capture {
namespace {

bool IsInOrBelow(std::string_view path, std::string_view group) {
  if (!path.starts_with(group)) return false;
  return path.size() == group.size() || group.ends_with('/') || path[group.size()] == '/';
}

}  // namespace

FilterMatches::FilterMatches(const TaskFilter& filter, std::vector<std::string> cgroup_paths)
    : filter_(filter),
      cgroup_paths_(std::move(cgroup_paths)),
      processes_of_threads_(filter.tgids.size()),
      tids_(filter.tids.size()),
      tgids_(filter.tgids.size()),
      comms_(filter.comms.size()),
      cgroups_(cgroup_paths_.size()) {}

void FilterMatches::OnTask(const fxr_task& task, std::string_view cgroup_path) {
  for (size_t i = 0; i < tids_.size(); ++i) {
    if (filter_.tids[i] == task.tid) tids_[i] = true;
  }
  for (size_t i = 0; i < tgids_.size(); ++i) {
    if (filter_.tgids[i] == task.tgid) tgids_[i] = true;
    if (filter_.tgids[i] == task.tid) processes_of_threads_[i] = task.tgid;
  }
  const std::string_view comm(task.comm, strnlen(task.comm, sizeof(task.comm)));
  for (size_t i = 0; i < comms_.size(); ++i) {
    if (std::string_view(filter_.comms[i]).substr(0, FXR_COMM_BYTES - 1) == comm) comms_[i] = true;
  }
  for (size_t i = 0; i < cgroups_.size(); ++i) {
    if (cgroup_path.empty() || IsInOrBelow(cgroup_path, cgroup_paths_[i])) cgroups_[i] = true;
  }
}

}  // namespace capture
