// SPDX-License-Identifier: BSD-2-Clause
// Runs a function on files of other users in a process without rights, so that a file which its
// parser does not survive, or which takes it over, harms no recording.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "util/result.h"
#include "util/unique_fd.h"

namespace util {

// A child process (the server) and its child (the worker), which has the rights of
// Rights::kDescriptors and serves one call after the other. The first call starts the worker. When
// it crashes, the next call starts another one.
class IsolatedWorker {
 public:
  using Bytes = std::vector<std::byte>;
  // Called in the worker. False: the file is not valid.
  using Work = std::function<bool(int file, Bytes* reply)>;
  struct Limits {
    size_t reply_bytes = size_t{64} << 20;
    uint64_t memory_bytes = uint64_t{1}
                            << 30;  // of the worker's address space beyond what it begins with
    uint32_t cpu_seconds = 10;      // of a worker, all its calls together
    uint64_t call_ns = 10'000'000'000;
    uint32_t crashes = 100;  // limit, after which no more workers are started
  };

  // Forks. The child has a copy of this process's memory: call it before memory is mapped that
  // others share, and early, because each page that this process changes afterwards is copied.
  static Result<std::unique_ptr<IsolatedWorker>> Start(Work work, const Limits& limits);
  // Ends the processes.
  ~IsolatedWorker();
  IsolatedWorker(const IsolatedWorker&) = delete;
  IsolatedWorker& operator=(const IsolatedWorker&) = delete;

  // The answer of `work` for the file; untrusted. Empty: it failed, crashed, exceeded a limit, or
  // cannot be reached. One call at a time.
  std::optional<Bytes> Call(int file);
  // Calls whose worker crashed or exceeded a limit.
  uint64_t crashes() const { return crashes_; }

 private:
  IsolatedWorker(UniqueFd socket, pid_t server, const Limits& limits)
      : socket_(std::move(socket)), server_(server), limits_(limits) {}

  UniqueFd socket_;
  pid_t server_;
  Limits limits_;
  uint64_t last_call_ = 0;
  uint64_t crashes_ = 0;
};

}  // namespace util
