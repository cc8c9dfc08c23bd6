// SPDX-License-Identifier: BSD-2-Clause
// What went on around single waits and runs of a trace: the picture of an example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/report/wake_chains.h"
#include "facts/object_names.h"
#include "facts/timeline/share.h"
#include "measure/collect/collector.h"

namespace analyze {

// What is looked for: the thread's wait or run from `begin` on, ns of the trace's clock.
struct Instance {
  uint64_t begin = 0;
  uint64_t length = 0;
  fxt::Koid thread = 0;
};

// What is known of one, with a margin before and behind it.
struct InstancePicture {
  enum class What : uint8_t { kRun, kIdle, kUnknown, kMany };
  struct Piece {
    uint64_t begin = 0;
    uint64_t end = 0;
    What what = What::kUnknown;  // kMany: several, each too short to be drawn
    fxt::Koid thread = 0;        // of a run
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
  uint64_t first = 0;  // the window that is shown
  uint64_t last = 0;
  std::vector<WakeLink> chain;
  std::vector<Lane> cpus;     // by number, those with something; no more than kCpus
  std::vector<State> states;  // of all threads, too short ones left out, no more than kStates

  static constexpr size_t kCpus = 16;
  static constexpr size_t kStates = size_t{1} << 14;
  // Nothing shorter than this part of the window is kept by itself.
  static constexpr uint64_t kParts = 400;
  uint64_t shortest() const { return (last - first) / kParts; }
};

// Give it to a Collector as its watcher, with `to` where until() says. Memory: bounded by the
// number of instances and that of threads.
class InstanceWatcher final : public measure::Watcher {
 public:
  explicit InstanceWatcher(const std::vector<Instance>& instances);

  void OnObject(const fxt::Record& object) override { names_.Note(object); }
  void OnBegin(uint64_t) override {}
  void OnRun(const facts::Run& run) override;
  void OnWait(const facts::Wait& wait) override;
  void OnIdle(const facts::Idle& idle) override;
  void OnGap(const facts::Gap& gap) override;

  // Nothing behind this time is in a picture.
  uint64_t until() const;
  // In the order of the instances. One that the trace does not have has no pieces.
  const std::vector<InstancePicture>& pictures() const { return pictures_; }
  const facts::ObjectNames& names() const { return names_; }

 private:
  void AddPiece(uint32_t cpu, const InstancePicture::Piece& piece);
  void AddState(const InstancePicture::State& state);

  std::vector<InstancePicture> pictures_;
  WakeChains chains_;
  facts::ObjectNames names_;
};

}  // namespace analyze
