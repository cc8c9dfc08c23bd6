// SPDX-License-Identifier: BSD-2-Clause
// An ftrace instance on the boot clock that records every context switch. It is read as binary
// pages, because the text form has only microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/ftrace/switch_log.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace truth {

// The losses of the ring buffer of one CPU (per_cpu/cpuN/stats).
struct FtraceCpuLoss {
  uint64_t overrun = 0;
  uint64_t commit_overrun = 0;
  uint64_t dropped = 0;
  uint64_t missed_pages = 0;

  uint64_t total() const { return overrun + commit_overrun + dropped + missed_pages; }
};

struct FtraceLog {
  SwitchLog log;
  std::vector<FtraceCpuLoss> loss;  // indexed by CPU number
  uint64_t lost() const;
};

class FtraceSession {
 public:
  struct Options {
    // Per CPU. A switch takes 68 bytes.
    size_t buffer_kib = 64 * 1024;
  };

  // Needs root. Removes the instances of killed processes first.
  static util::Result<FtraceSession> Create(const Options& options);

  FtraceSession(FtraceSession&& other) noexcept;
  FtraceSession& operator=(FtraceSession&&) = delete;
  ~FtraceSession();  // removes the instance

  util::Status Start();
  util::Status Stop();

  // For SwitchLog::second_stamps: a second session stamps each switch again. Its event has to be
  // enabled after those of all other tracers; another process that knows its name can do that.
  static util::Result<FtraceSession> CreateSecond(const Options& options);
  static util::Status StartSecond(const std::string& name);
  // Stops `second` and takes its stamps into `log`.
  static util::Status TakeSecond(FtraceSession* second, SwitchLog* log);
  const std::string& name() const { return name_; }

  // Returns the text form of the buffers without consuming them. Only while stopped.
  util::Result<std::string> ReadText() const;
  // Consumes the buffers. Only while stopped.
  util::Result<FtraceLog> Collect();

 private:
  FtraceSession(util::UniqueFd root, std::string name)
      : root_(std::move(root)), name_(std::move(name)) {}

  std::string Path(const std::string& file) const { return "instances/" + name_ + "/" + file; }
  static util::Result<FtraceSession> Make(const Options& options,
                                          const std::vector<std::string>& events);
  void NoteInitThreads();

  util::UniqueFd root_;
  std::string name_;  // empty once moved from
  std::vector<int32_t> init_tids_, first_tids_;
  uint64_t begin_ns_ = 0, end_ns_ = 0;
};

}  // namespace truth
