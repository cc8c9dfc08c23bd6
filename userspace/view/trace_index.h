// SPDX-License-Identifier: BSD-2-Clause
// The data of a trace that the timeline shows, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "facts/koid_index.h"
#include "facts/open_spans.h"
#include "facts/timeline/timeline.h"
#include "fxt/reader.h"
#include "tables/rows/text_pool.h"
#include "tables/task_names.h"
#include "view/event_lanes.h"
#include "view/flow_table.h"
#include "view/index_limits.h"
#include "view/interval_lanes.h"
#include "view/label_table.h"

namespace view {

// Threads, lanes and tracks are numbered 0, 1, 2, ...; this number stands for none.
inline constexpr uint32_t kNoLane = UINT32_MAX;

struct ThreadLanes {
  fxt::Koid koid = 0;
  uint32_t states = kNoLane;  // index in IntervalLanes
  SpanLane spans;
  PointLane<Instant> instants;
};

// Asynchronous operations of a process with the same category and name, or the requests to a block
// device.
struct AsyncTrack {
  uint32_t category = 0;
  uint32_t name = 0;
  std::optional<fxt::Koid> process;
  std::optional<fxt::Koid> device;
  SpanLane spans;
};

struct CounterTrack {
  uint32_t name = 0;
  uint32_t series = 0;
  uint64_t id = 0;
  std::optional<fxt::Koid> process;
  PointLane<Sample> samples;
};

// Losses of events of one CPU, or those that belong to no CPU.
struct LossTrack {
  std::optional<uint32_t> cpu;
  SpanLane gaps;              // times with unknown activity of the CPU
  PointLane<Instant> losses;  // the rows of table `losses`
};

// Feed it every record in file order (facts/read_loop.h), then call Finish(). It may be read in
// between, without the intervals and spans that are still open.
class TraceIndex {
 public:
  explicit TraceIndex(const IndexLimits& limits = {});
  TraceIndex(const TraceIndex&) = delete;
  TraceIndex& operator=(const TraceIndex&) = delete;

  void Add(const fxt::Reader& reader);
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most) {
    return timeline_.AddFastPath(reader, most);
  }
  void Finish();

  // The first time of the file, ns, which is second 0 in the page. Empty before the first record.
  std::optional<uint64_t> first() const { return first_; }
  uint64_t begin() const;
  uint64_t end() const {
    return saved_ ? saved_->end : std::max(timeline_.latest(), latest_event_);
  }

  const IntervalLanes& intervals() const { return intervals_; }
  // By CPU number; kNoLane for CPUs without events.
  const std::vector<uint32_t>& cpu_lanes() const { return cpu_lanes_; }
  std::vector<ThreadLanes>& threads() { return threads_; }
  std::vector<AsyncTrack>& async_tracks() { return async_tracks_; }
  std::vector<CounterTrack>& counters() { return counters_; }
  std::vector<LossTrack>& loss_tracks() { return loss_tracks_; }
  FlowTable& flows() { return flows_; }
  const LabelTable& labels() const { return labels_; }
  const tables::TaskNames& names() const { return names_; }
  std::optional<fxt::Koid> ProcessOf(const ThreadLanes& thread) const {
    return names_.ProcessOf(thread.koid, std::nullopt);
  }
  // The number of the thread; kNoLane if there is none.
  uint32_t Find(fxt::Koid koid) const { return thread_numbers_.Find(koid); }

  // Missing parts of the index, one sentence each.
  std::vector<std::string> Notes() const;

  // Saves the finished index. Calls `between` periodically.
  void Save(IndexWriter& out, const std::function<void()>& between);
  // Restores a saved index into an empty one. Add() must not be called afterwards. False: it cannot
  // be read or exceeds the limits, and this object must not be used any more.
  bool Load(IndexReader& in);

 private:
  struct Facts {
    TraceIndex& index;
    void OnRun(const facts::Run& run) const { index.AddRun(run); }
    void OnWait(const facts::Wait& wait) const { index.AddWait(wait); }
    void OnIdle(const facts::Idle& idle) const {
      index.AddToCpu(idle.cpu, {.begin = idle.begin,
                                .end = idle.end,
                                .state = LaneState::kIdle,
                                .is_cut = IsCut(idle.began, idle.ended)});
    }
    void OnGap(const facts::Gap& gap) const { index.AddGap(gap); }
    template <typename Full>
    void OnWholeRun(const facts::WholeRun& run, Full&& /*full*/) const {
      index.PutRun(run.index, run.thread, run.cpu, run.begin, run.end, false);
    }
    template <typename Full>
    void OnWholeWait(const facts::WholeWait& wait, Full&& full) const {
      Interval interval{.begin = wait.begin, .end = wait.end, .state = LaneStateOf(wait.kind)};
      if (wait.kind == facts::WaitKind::kPreempted) {
        interval.value = index.NumberOf(full().preemptor);
      }
      index.AddToThread(wait.index, wait.thread, interval);
    }
    template <typename Full>
    void OnWholeSleep(const facts::WholeWait& wait, const facts::Wakeup& wakeup,
                      Full&& /*full*/) const {
      index.AddToThread(wait.index, wait.thread,
                        {.begin = wait.begin,
                         .end = wait.end,
                         .state = LaneStateOf(wait.kind),
                         .by_interrupt = wakeup.by_interrupt,
                         .value = index.NumberOf(wakeup.waker)});
    }
  };

  static bool IsCut(facts::Bound began, facts::Bound ended) {
    return began != facts::Bound::kSeen || ended != facts::Bound::kSeen;
  }
  void AddRun(const facts::Run& run);
  void AddWait(const facts::Wait& wait);
  void PutRun(facts::ThreadIndex index, fxt::Koid thread, uint32_t cpu, uint64_t begin,
              uint64_t end, bool is_cut) {
    AddToCpu(cpu, {.begin = begin,
                   .end = end,
                   .state = LaneState::kRun,
                   .is_cut = is_cut,
                   .value = Scheduled(index, thread)});
    AddToThread(
        index, thread,
        {.begin = begin, .end = end, .state = LaneState::kRun, .is_cut = is_cut, .value = cpu});
  }
  void AddToCpu(uint32_t cpu, const Interval& interval);
  void AddGap(const facts::Gap& gap);
  void AddToThread(facts::ThreadIndex index, fxt::Koid koid, const Interval& interval) {
    const uint32_t number = Scheduled(index, koid);
    if (number != kNoLane) intervals_.Append(threads_[number].states, interval);
  }
  // The number of a thread with a lane of states.
  uint32_t Scheduled(facts::ThreadIndex index, fxt::Koid koid) {
    if (index < scheduled_.size() && scheduled_[index] != kNoLane) [[likely]] {
      return scheduled_[index];
    }
    return AddScheduled(index, koid);
  }
  uint32_t AddScheduled(facts::ThreadIndex index, fxt::Koid koid);
  uint32_t NumberOf(const std::optional<fxt::Koid>& koid) {
    return koid ? NumberOf(*koid) : Interval::kNone;
  }
  uint32_t NumberOf(fxt::Koid koid);

  // Values of the timeline, for an index that was loaded from a file.
  struct Saved {
    uint64_t first = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t has_first = 0;
  };
  void SaveNames(IndexWriter& out);
  bool LoadNames(IndexReader& in);
  bool LoadTracks(IndexReader& in);
  bool HasKnownNumbers();

  // Distributes the unused memory among the tables again.
  void ShareMemory();
  void AddEvent(const fxt::Reader& reader, const fxt::Event& event);
  void AddSpanEvent(const fxt::Reader& reader, const fxt::Event& event, uint64_t time);
  void PutSpan(const facts::OpenSpan& span, uint64_t end, bool began_before, bool ended_after);
  void PutInstant(fxt::Koid thread, const Instant& instant);
  void AddCounter(const fxt::Event& event, uint64_t time);
  void AddFlow(const fxt::Event& event, uint64_t time, FlowPoint::Kind kind);
  // Adds an event that declares a loss.
  void AddLoss(const fxt::Event& event, uint64_t time);
  void PutLoss(const std::optional<uint32_t>& cpu, const Instant& loss);
  // Null if there are too many tracks.
  LossTrack* LossTrackOf(const std::optional<uint32_t>& cpu);
  uint32_t ArgumentsOf(const fxt::Event& event);

  static constexpr size_t kMaxTracks = 4096;
  static constexpr size_t kMaxNotes = 100;
  static constexpr uint32_t kMaxCpus = 4096;

  IndexLimits limits_;
  fxt::TableBudget shared_;
  tables::TextPool texts_;
  tables::TaskNames names_;
  IntervalLanes intervals_;
  EventBudget events_;
  LabelTable labels_;
  std::optional<uint64_t> first_;
  uint64_t earliest_event_ = UINT64_MAX;
  uint64_t latest_event_ = 0;
  std::vector<uint32_t> cpu_lanes_;
  facts::KoidIndex thread_numbers_;
  std::vector<ThreadLanes> threads_;
  std::vector<uint32_t> scheduled_;  // by ThreadIndex
  facts::OpenSpans open_;
  uint64_t owner_ = 0;
  std::map<std::tuple<uint32_t, uint32_t, fxt::Koid>, uint32_t> async_numbers_;
  std::vector<AsyncTrack> async_tracks_;
  std::map<std::tuple<uint32_t, uint32_t, uint64_t, fxt::Koid>, uint32_t> counter_numbers_;
  std::vector<CounterTrack> counters_;
  std::map<std::optional<uint32_t>, uint32_t> loss_numbers_;  // by CPU
  std::vector<LossTrack> loss_tracks_;
  FlowTable flows_;
  uint64_t tracks_left_out_ = 0;
  std::optional<Saved> saved_;
  std::vector<std::string> saved_notes_;
  Facts facts_{*this};
  facts::Timeline<Facts> timeline_;
};

}  // namespace view
