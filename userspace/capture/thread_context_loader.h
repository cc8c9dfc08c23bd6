// SPDX-License-Identifier: BSD-2-Clause
// Finds which processes publish trace contexts of their threads
// (include/fxt_record/thread_context.h) and where, for the BPF programs. Works in a thread of its
// own: the collector must not wait for files. perf's rings report which processes have new
// mappings, /proc has the mappings.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "capture/bpf/thread_context_map.h"
#include "capture/process_changes.h"
#include "capture/process_mappings.h"
#include "symbols/thread_variable.h"
#include "util/isolated_worker.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace perf {
class StackSession;
}

namespace capture {

class ThreadContextLoader {
 public:
  // True if a process, by its id, may have requests. Called from the thread.
  using Filter = std::function<bool(uint32_t tgid)>;

  // Forks a process without rights that reads the files: any user may have made them. See
  // util::IsolatedWorker::Start().
  static util::Result<std::unique_ptr<util::IsolatedWorker>> StartReader();

  // `contexts` outlives the loader. `proc` is the path of /proc.
  ThreadContextLoader(ThreadContextMap& contexts, std::unique_ptr<util::IsolatedWorker> reader,
                      Filter is_wanted, std::string proc = "/proc");
  ~ThreadContextLoader();
  ThreadContextLoader(const ThreadContextLoader&) = delete;
  ThreadContextLoader& operator=(const ThreadContextLoader&) = delete;

  // Starts the thread, and waits until it has read the processes that run. Those that start later
  // are unknown where the kernel does not let perf report them.
  void Start();

 private:
  void Run();
  void TakeRecords(bool follows_cpus);
  void ScanAll();
  // Reads the process's mappings, and makes its variable known or forgets it.
  void Scan(uint32_t tgid);
  symbols::ThreadVariable VariableOf(const CodeMapping& mapping);
  void Set(uint32_t tgid, const fxr_thread_variable& variable);
  void Forget(uint32_t tgid);
  void ForgetExited();

  // Device, inode, size, and time of change.
  using FileKey = std::tuple<uint32_t, uint64_t, uint64_t, uint64_t, uint32_t>;

  ThreadContextMap& contexts_;
  std::unique_ptr<util::IsolatedWorker> reader_;
  const Filter is_wanted_;
  const std::string proc_;
  std::unique_ptr<perf::StackSession> session_;  // null: not permitted
  util::UniqueFd stop_;                          // an eventfd
  std::thread thread_;
  std::atomic<bool> scanned_ = false;

  // The thread's.
  std::map<FileKey, symbols::ThreadVariable> files_;
  std::unordered_map<uint32_t, fxr_thread_variable> processes_;  // in the map
  ProcessChanges changes_;
};

}  // namespace capture
