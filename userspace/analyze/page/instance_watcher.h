// SPDX-License-Identifier: BSD-2-Clause
// Collects what happened around single waits and runs of a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analyze/report/wake_chains.h"
#include "facts/task_names.h"
#include "facts/timeline/share.h"
#include "measure/collect/collector.h"

namespace analyze {

// A wait or run of a thread, ns on the clock of the trace.
struct Instance {
  uint64_t begin = 0;
  uint64_t length = 0;
  fxt::Koid thread = 0;
};

// The activity of CPUs and threads around an instance, with a margin before and after it.
struct InstancePicture {
  enum class Activity : uint8_t { kRun, kIdle, kUnknown, kMany };
  struct Piece {
    uint64_t begin = 0;
    uint64_t end = 0;
    Activity what = Activity::kUnknown;  // kMany: several, each too short to draw
    fxt::Koid thread = 0;                // of a run
    uint64_t busy_ns = 0;
  };
  struct Lane {
    uint32_t cpu = 0;
    std::vector<Piece> pieces;  // in order
  };
  struct State {
    uint64_t begin = 0;
    uint64_t end = 0;
    fxt::Koid thread = 0;
    facts::Share share = facts::Share::kUnknown;
  };

  Instance instance;
  uint64_t first = 0;  // the window of the picture
  uint64_t last = 0;
  std::vector<WakeLink> chain;
  std::vector<Lane> cpus;     // by number, those with pieces; at most kCpus
  std::vector<State> states;  // of all threads, without short ones; at most kStates

  static constexpr size_t kCpus = 16;
  static constexpr size_t kStates = size_t{1} << 14;
  // Shorter pieces, in parts of the window, are merged.
  static constexpr uint64_t kParts = 400;
  uint64_t shortest() const { return (last - first) / kParts; }
};

// The watcher of a Collector that reads up to until(). Its memory is bounded by the number of
// instances and of threads.
class InstanceWatcher final : public measure::Watcher {
 public:
  explicit InstanceWatcher(const std::vector<Instance>& instances);

  void OnObject(const fxt::Record& object) override { names_->Note(object); }
  void OnBegin(uint64_t /*first*/, uint64_t begin) override { begin_ = begin; }
  void OnRun(const facts::Run& run) override;
  void OnWait(const facts::Wait& wait) override;
  void OnIdle(const facts::Idle& idle) override;
  void OnGap(const facts::Gap& gap) override;

  uint64_t begin() const { return begin_; }  // of the trace
  // No picture contains a later time.
  uint64_t until() const;
  // In the order of the instances. One that the trace lacks has no pieces.
  const std::vector<InstancePicture>& pictures() const { return pictures_; }
  std::shared_ptr<const facts::TaskNames> names() const { return names_; }

 private:
  void AddPiece(uint32_t cpu, const InstancePicture::Piece& piece);
  void AddState(const InstancePicture::State& state);

  uint64_t begin_ = 0;
  std::vector<InstancePicture> pictures_;
  WakeChains chains_;
  std::shared_ptr<facts::TaskNames> names_ = std::make_shared<facts::TaskNames>();
};

}  // namespace analyze
