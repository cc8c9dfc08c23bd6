// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/rename_index.h"

#include <algorithm>
#include <iterator>

namespace truth {
namespace {

constexpr size_t kCommBytes = 15;

// Returns whether `comm` is the old name or a mixture with the new one. The kernel copies a name a
// few bytes at a time and may be preempted meanwhile.
bool IsBetween(const std::string& comm, const std::string& old_name, const std::string& new_name) {
  const auto at = [](const std::string& name, size_t i) {
    return i < name.size() ? name[i] : '\0';
  };
  for (size_t i = 0; i <= comm.size(); ++i) {
    if (at(comm, i) != at(old_name, i) && at(comm, i) != at(new_name, i)) return false;
  }
  return true;
}

}  // namespace

bool NamesAgree(const std::string& comm, const std::string& recorded) {
  if (recorded == comm) return true;
  if (!recorded.starts_with(comm)) return false;
  if (comm.size() == kCommBytes) return true;
  return comm.starts_with("kworker/") &&
         (recorded[comm.size()] == '-' || recorded[comm.size()] == '+');
}

RenameIndex::RenameIndex(const SwitchLog& reference, uint64_t takes_ns)
    : log_(reference), takes_ns_(takes_ns) {
  for (const Rename& rename : reference.renames) by_tid_[rename.tid].push_back(&rename);
}

bool RenameIndex::InFlight(int32_t tid, uint64_t ftrace_ns, uint64_t recorded_ns,
                           const std::string& comm, const std::string& recorded) const {
  const uint64_t time_ns = std::max(ftrace_ns, recorded_ns);
  const auto found = by_tid_.find(tid);
  if (found == by_tid_.end()) return false;
  const auto& renames = found->second;
  const auto after =
      std::upper_bound(renames.begin(), renames.end(), time_ns,
                       [](uint64_t time, const Rename* rename) { return time < rename->time_ns; });
  if (after == renames.begin()) return false;
  if (log_.names.Name((*std::prev(after))->new_name) != recorded) return false;
  // The machine may pause between the probes of the two tracers, and several renames happen.
  for (auto at = after; at != renames.begin();) {
    const Rename& rename = **--at;
    if (IsBetween(comm, log_.names.Name(rename.old_name), log_.names.Name(rename.new_name)) &&
        (rename.time_ns >= ftrace_ns || ftrace_ns - rename.time_ns < takes_ns_ ||
         LeftItsCpu(rename, ftrace_ns))) {
      return true;
    }
    if (rename.time_ns < ftrace_ns) break;
  }
  return false;
}

bool RenameIndex::Delayed(int32_t tid, uint64_t time_ns, const std::string& comm,
                          const std::string& recorded) const {
  const auto found = by_tid_.find(tid);
  if (found == by_tid_.end()) return false;
  const auto& renames = found->second;
  const auto next =
      std::upper_bound(renames.begin(), renames.end(), time_ns,
                       [](uint64_t time, const Rename* rename) { return time < rename->time_ns; });
  if (next == renames.end()) return false;
  return log_.names.Name((*next)->old_name) == comm &&
         log_.names.Name((*next)->new_name) == recorded && JustCame(**next, time_ns);
}

bool RenameIndex::LeftItsCpu(const Rename& rename, uint64_t time_ns) const {
  const auto& cpu = log_.cpus[rename.cpu];
  const auto next =
      std::lower_bound(cpu.begin(), cpu.end(), rename.time_ns,
                       [](const Switch& s, uint64_t time) { return s.time_ns < time; });
  return next != cpu.end() && next->prev_tid == rename.by_tid && next->time_ns <= time_ns &&
         next->time_ns - rename.time_ns < takes_ns_;
}

bool RenameIndex::JustCame(const Rename& rename, uint64_t time_ns) const {
  const auto& cpu = log_.cpus[rename.cpu];
  auto next = std::lower_bound(cpu.begin(), cpu.end(), rename.time_ns,
                               [](const Switch& s, uint64_t time) { return s.time_ns < time; });
  if (next == cpu.begin()) return false;
  const Switch& last = *std::prev(next);
  return last.next_tid == rename.by_tid && last.time_ns >= time_ns &&
         rename.time_ns - last.time_ns < takes_ns_;
}

}  // namespace truth
