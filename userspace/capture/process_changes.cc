// SPDX-License-Identifier: BSD-2-Clause
#include "capture/process_changes.h"

#include <variant>

namespace capture {

void ProcessChanges::Add(const perf::Record& record) {
  if (const auto* mapping = std::get_if<perf::MmapRecord>(&record.body)) {
    if (!mapping->kernel) changed_.insert(mapping->pid);
  } else if (const auto* comm = std::get_if<perf::CommRecord>(&record.body)) {
    if (comm->exec) changed_.insert(comm->pid);
  } else if (const auto* fork = std::get_if<perf::ForkRecord>(&record.body)) {
    if (fork->pid != fork->parent_pid) forks_.emplace_back(fork->parent_pid, fork->pid);
  } else if (const auto* exit = std::get_if<perf::ExitRecord>(&record.body)) {
    if (exit->pid == exit->tid) exited_.insert(exit->pid);
  }
}

void ProcessChanges::TakeForks(const Copy& copy) {
  for (const auto& [parent, child] : forks_) {
    exited_.erase(child);
    if (changed_.contains(child)) continue;
    if (changed_.contains(parent) || !copy(parent, child)) changed_.insert(child);
  }
  forks_.clear();
}

}  // namespace capture
