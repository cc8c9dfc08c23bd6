// SPDX-License-Identifier: BSD-2-Clause
// Category `stack`, what comes by perf's rings and not by BPF programs: samples of what runs (part
// `on`), which a non-maskable interrupt may take, where a BPF ring buffer would drop them; and the
// mappings that all stacks' addresses are named by. They wait here in time order for their place in
// the stream. A sample becomes the same long event that the programs send of other stacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "capture/bpf/program_options.h"
#include "capture/event_handler.h"
#include "perf/live/stack_session.h"
#include "perf/record/record_decoder.h"
#include "util/result.h"

namespace capture {

class StackSampler {
 public:
  // Samples where `options.on`, mappings in any case. An error says why not.
  static util::Result<std::unique_ptr<StackSampler>> Open(const StackOptions& options);
  explicit StackSampler(std::unique_ptr<perf::StackSession> session)
      : session_(std::move(session)) {}

  // Only samples of these tasks are kept; names and cgroups cannot be told from a sample.
  // `is_followed` tells it of a thread id.
  void SetFilter(const TaskFilter& filter, std::function<bool(uint32_t)> is_followed) {
    filter_ = filter;
    is_followed_ = std::move(is_followed);
  }
  util::Status Enable() { return session_->Enable(); }
  // `now` is the kernel's CLOCK_MONOTONIC, ns, for losses that bear no time.
  void Disable(uint64_t now);
  std::vector<int> fds() const { return session_->fds(); }

  // Moves what the rings hold into the queue.
  void Collect(uint64_t now);
  // Time of the first one waiting, ns of CLOCK_MONOTONIC; UINT64_MAX: none.
  uint64_t NextTime() const { return queue_.empty() ? UINT64_MAX : queue_.front().time; }
  // Hands the first one over.
  void DeliverNext(EventHandler& handler);

  // A record of the ring of `cpu`; public for tests.
  void OnRecord(unsigned cpu, const perf::Record& record, uint64_t now);

 private:
  struct Mapping {
    perf::MmapRecord record;
    std::string file;
  };
  struct Loss {
    unsigned cpu = 0;
    uint64_t count = 0;
  };
  // Of an fxr_long, in words.
  using Event = std::vector<uint64_t>;
  struct Item {
    uint64_t time = 0;
    std::variant<Event, Mapping, Loss> what;
  };

  bool IsWanted(uint32_t tid, uint32_t tgid) const;
  void OnSample(unsigned cpu, const perf::Sample& sample, uint64_t time);
  void Enqueue(Item item);

  std::unique_ptr<perf::StackSession> session_;
  TaskFilter filter_;
  std::function<bool(uint32_t)> is_followed_;
  std::deque<Item> queue_;
};

}  // namespace capture
