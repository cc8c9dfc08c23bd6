// SPDX-License-Identifier: BSD-2-Clause
// Branch stacks out of perf's rings, waiting in time order for their place in the stream.
//
// They come by perf's own rings and not by a BPF program on the perf event: the kernel stamps the
// sample in the interrupt, on the clock of everything else (CLOCK_MONOTONIC); the ring is written
// from a non-maskable interrupt, where a BPF ring buffer drops whatever finds its lock taken; LOST
// records say where samples are missing; and mappings and build ids come by the same way. The price
// is that a task filter has to be applied here.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "capture/bpf/bpf_programs.h"
#include "capture/event_handler.h"
#include "perf/live/lbr_session.h"
#include "perf/record/branch_stack_sample.h"
#include "perf/record/record_decoder.h"
#include "util/result.h"

namespace capture {

class BranchRecorder : private perf::LbrHandler {
 public:
  // Opens the hardware's event; an error says why there is none and how to come to one.
  static util::Result<std::unique_ptr<BranchRecorder>> Open(const perf::LbrOptions& options);
  explicit BranchRecorder(std::unique_ptr<perf::LbrSession> session)
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
  // What a person should hear of, once: a CPU that came online and has no event. Empty: nothing.
  std::string TakeProblem() { return std::exchange(problem_, std::string()); }
  // Time of the first one waiting, ns of CLOCK_MONOTONIC; UINT64_MAX: none.
  uint64_t NextTime() const { return queue_.empty() ? UINT64_MAX : queue_.front().time; }
  // Hands the first one over.
  void DeliverNext(EventHandler& handler);

 private:
  struct Mapping {
    perf::MmapRecord record;
    std::string file;
  };
  struct Loss {
    unsigned cpu = 0;
    uint64_t count = 0;
  };
  struct Item {
    uint64_t time = 0;
    std::variant<perf::BranchStackSample, Mapping, Loss> what;
  };

  void OnSample(const perf::BranchStackSample& sample) override;
  void OnRecord(unsigned cpu, const perf::Record& record) override;
  void Enqueue(Item item);
  void NoteDamage(uint64_t now);

  std::unique_ptr<perf::LbrSession> session_;
  TaskFilter filter_;
  std::function<bool(uint32_t)> is_followed_;
  std::deque<Item> queue_;
  uint64_t last_time_ = 0;
  std::map<unsigned, uint64_t> told_damage_;  // records that could not be read, by CPU
  std::string problem_;
  std::set<std::string> told_problems_;
};

}  // namespace capture
