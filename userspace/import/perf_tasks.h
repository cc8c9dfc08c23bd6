// SPDX-License-Identifier: BSD-2-Clause
// Tracks threads and processes of a perf recording by its COMM, FORK and EXIT records, and by
// samples of unknown tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "model/task_table.h"
#include "translate/file/trace_writer.h"

namespace importer {

class PerfTasks {
 public:
  explicit PerfTasks(translate::TraceWriter& file) : file_(file), table_(file.tasks()) {}

  // The sampled thread. Task 0 is the idle task of the CPU.
  model::ThreadHandle OnSample(uint32_t pid, uint32_t tid, std::optional<uint32_t> cpu);
  // Names a thread and writes it and its process to the file.
  void OnName(uint32_t pid, uint32_t tid, std::string_view name);
  void OnFork(uint32_t pid, uint32_t tid, uint32_t parent_tid);
  // Keeps the thread, because it may be sampled while it exits.
  void OnExit(uint32_t tid);

  model::ThreadHandle IdleOf(uint32_t cpu);

 private:
  // Finds or adds the thread; kNoHandle for numbers that no task can have.
  model::ThreadHandle Find(uint32_t pid, uint32_t tid);
  model::ThreadHandle Add(uint32_t pid, uint32_t tid, std::string_view name);
  void Retire(model::ThreadHandle handle);
  // A placeholder for tasks with tid -1, which the kernel reports for exited tasks, or a damaged
  // tid.
  model::ThreadHandle Unknown();

  translate::TraceWriter& file_;
  model::TaskTable& table_;
  std::unordered_set<uint32_t> exited_;  // tids
  model::ProcessHandle idle_process_ = model::kNoHandle;
  std::unordered_map<uint32_t, model::ThreadHandle> idle_;  // by CPU
  model::ThreadHandle unknown_ = model::kNoHandle;
};

}  // namespace importer
