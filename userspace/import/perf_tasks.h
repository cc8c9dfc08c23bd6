// SPDX-License-Identifier: BSD-2-Clause
// Who is who in a perf recording: threads and processes from its COMM, FORK and EXIT records, and
// from the samples of those that no record announced.
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

  // The thread that was sampled. Task 0 is the idle task of the CPU.
  model::ThreadHandle OnSample(uint32_t pid, uint32_t tid, std::optional<uint32_t> cpu);
  // A name; it and what it belongs to are in the file afterwards.
  void OnName(uint32_t pid, uint32_t tid, std::string_view name);
  void OnFork(uint32_t pid, uint32_t tid, uint32_t parent_tid);
  // Its records may still come: a thread is sampled while it dies.
  void OnExit(uint32_t tid);

  model::ThreadHandle IdleOf(uint32_t cpu);

 private:
  // Finds the thread or adds it; kNoHandle for numbers that no task has.
  model::ThreadHandle Find(uint32_t pid, uint32_t tid);
  model::ThreadHandle Add(uint32_t pid, uint32_t tid, std::string_view name);
  void Retire(model::ThreadHandle handle);
  // Stands for tasks that the kernel gave no number any more (-1), or a damaged one.
  model::ThreadHandle Unknown();

  translate::TraceWriter& file_;
  model::TaskTable& table_;
  std::unordered_set<uint32_t> exited_;  // tids
  model::ProcessHandle idle_process_ = model::kNoHandle;
  std::unordered_map<uint32_t, model::ThreadHandle> idle_;  // by CPU
  model::ThreadHandle unknown_ = model::kNoHandle;
};

}  // namespace importer
