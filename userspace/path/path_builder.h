// SPDX-License-Identifier: BSD-2-Clause
// Makes requests with their critical paths of the facts of a timeline.
//
// The owner of the timeline hands on its facts and, after the timeline, every record that is no
// switch and no wakeup; path_reader.h does so. A request is handed out when the timeline has passed
// its end. Memory is bounded: what threads and CPUs did is kept in a ring
// (facts/timeline/activity_history.h), and a path that reaches further back is kUnknown there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/kernel_sections.h"
#include "facts/open_spans.h"
#include "facts/task_names.h"
#include "facts/timeline/activity_history.h"
#include "facts/timeline/fact.h"
#include "facts/timeline/timeline_state.h"
#include "fxt/reader.h"
#include "path/label_pool.h"
#include "path/path_walker.h"
#include "path/request.h"
#include "path/sleep_evidence.h"
#include "schema/koid.h"

namespace path {

// Which arguments of spans are in Request::members.
enum class KeptArguments : uint8_t { kNone, kTraceId, kAll };

struct PathOptions {
  // Whether spans of that category and name are requests; null: none. `of_kernel`: the span is of a
  // section with the kernel's facts.
  std::function<bool(std::string_view category, std::string_view name, bool of_kernel)> wants_span;
  // Whether the interval from..to of a thread is a request; null: of none.
  std::function<bool(fxt::Koid thread, std::string_view name)> wants_thread;
  // Takes only durations that are not within another one of their thread (of those that wants_span
  // accepts), and those of kRequestCategory; no flows.
  bool outermost = false;
  // ns of the trace's clock. Spans that end outside of it are no requests.
  uint64_t from = 0;
  uint64_t to = UINT64_MAX;
  // Only the request of this number; 0: all.
  uint64_t id = 0;
  KeptArguments arguments = KeptArguments::kNone;
  // Not null; outlives the builder, and has noted all records up to the one that the builder takes.
  const facts::TaskNames* names = nullptr;
  // Names the stacks of sleeps; null: the kernel function alone.
  StackNamer name_stack = nullptr;
  bool with_parts = true;
  // Limits of memory.
  size_t max_thread_bytes = size_t{64} << 20;
  size_t max_cpu_bytes = size_t{16} << 20;
  size_t max_pending_bytes = size_t{32} << 20;
  size_t max_open_bytes = facts::OpenSpans::kMaxBytes;
  // Limit of all walks beside that by the length of the trace, see PathWalker::kFreeSteps.
  uint64_t free_steps = PathWalker::kFreeSteps;
};

class PathBuilder {
 public:
  using OnRequest = std::function<void(const Request&, std::span<const Part>)>;

  // `timeline` must outlive it.
  PathBuilder(const facts::TimelineState& timeline, PathOptions options, OnRequest on_request);
  PathBuilder(const PathBuilder&) = delete;
  PathBuilder& operator=(const PathBuilder&) = delete;

  // Facts of the timeline.
  void Add(const facts::Run& run) { AddRun(run.index, run.cpu, run.begin, run.end); }
  void Add(const facts::WholeRun& run) { AddRun(run.index, run.cpu, run.begin, run.end); }
  void Add(const facts::Idle& idle) {
    cpus_.Add(idle.cpu, {.begin = idle.begin, .end = idle.end, .activity = facts::Activity::kIdle});
  }
  void Add(const facts::Wait& wait);
  // A wait for a CPU, and a sleep.
  void Add(const facts::WholeWait& wait) {
    threads_.Add(wait.index,
                 {.begin = wait.begin,
                  .end = wait.end,
                  .activity = wait.kind == facts::WaitKind::kWakeup ? facts::Activity::kWakeup
                                                                    : facts::Activity::kPreempted,
                  .other = wait.end_cpu});
  }
  void Add(const facts::WholeWait& wait, const facts::Wakeup& wakeup) {
    AddSleep(wait.index, wait.begin, wait.end,
             wait.kind == facts::WaitKind::kBlocked ? facts::Activity::kBlocked
                                                    : facts::Activity::kSleep,
             wakeup.waker, wakeup.by_interrupt);
  }

  // Whether a span that begins or is complete may be a request by its names. For records before the
  // first one of Note().
  bool Wants(const fxt::Reader& reader, const fxt::Event& event) {
    return options_.wants_span &&
           options_.wants_span(event.category.text, event.name.text, sections_.Has(reader));
  }
  // Changes PathOptions::from and to.
  void SetWindow(uint64_t from, uint64_t to) {
    options_.from = from;
    options_.to = to;
  }
  // Requests are handed out without parts from now on.
  void LeaveOutParts() { options_.with_parts = false; }

  // A record that is neither a switch nor a wakeup.
  void Note(const fxt::Reader& reader);
  // Hands out the requests that the timeline has passed.
  void HandOut();
  // Hands out what is left, and the intervals of threads. The timeline is not finished before: that
  // would end what goes on.
  void Finish();

  const facts::TimelineState& timeline() const { return timeline_; }
  const facts::TaskNames& names() const { return *options_.names; }
  const LabelPool& labels() const { return labels_; }
  // Koid of a thread of a part; 0 for kNoThread.
  fxt::Koid KoidOf(facts::ThreadIndex index) const {
    return index < timeline_.threads().size() ? timeline_.threads()[index].koid : 0;
  }

  // As Linux has it; the koid itself where there is no such number.
  uint64_t NumberOf(fxt::Koid koid) const { return names().NumberOf(koid).value_or(koid); }

  // State of a thread besides the timeline.
  static constexpr size_t kBytesOfThread = 128;
  // Spans that found no room until the timeline passed their end, or while they were open.
  uint64_t left_out() const { return left_out_ + open_.left_out(); }
  // Chosen spans without an end.
  uint64_t without_end() const { return without_end_; }
  // Requests that were handed out without their paths, because paths would be many times as long as
  // the trace. They are spread over it: as it is read, there is room for further ones.
  uint64_t paths_left_out() const { return paths_left_out_; }

 private:
  struct LaterEnd {
    bool operator()(const Request& a, const Request& b) const {
      return a.end != b.end ? a.end > b.end : a.id > b.id;
    }
  };

  void AddRun(facts::ThreadIndex index, uint32_t cpu, uint64_t begin, uint64_t end) {
    if (index == facts::kNoThread) return;
    const auto run = facts::Activity::kRun;
    threads_.Add(index, {.begin = begin, .end = end, .activity = run, .other = cpu});
    cpus_.Add(cpu, {.begin = begin, .end = end, .activity = run, .other = index});
  }
  void AddSleep(facts::ThreadIndex index, uint64_t begin, uint64_t end, facts::Activity activity,
                const std::optional<fxt::Koid>& waker, bool by_interrupt,
                const facts::WaitObject* object = nullptr);
  void AddEvent(const fxt::Reader& reader, const fxt::Event& event);
  // Whether a span that begins is a request.
  bool IsWanted(const fxt::Reader& reader, const fxt::Event& event, const facts::OpenSpan& span);
  void AddSpan(facts::OpenSpan span, const fxt::ThreadRef& thread, uint64_t end);
  // With its path, if there is one.
  void HandOut(Request& request);
  void HandOutNext();
  void HandOutThreads();

  const facts::TimelineState& timeline_;
  PathOptions options_;
  OnRequest on_request_;
  LabelPool labels_;
  facts::ActivityHistory threads_;
  facts::ActivityHistory cpus_;
  SleepEvidence evidence_{timeline_, labels_, options_.name_stack};
  PathWalker walker_{timeline_, threads_, cpus_, evidence_, options_.free_steps};

  facts::KernelSections sections_;
  facts::OpenSpans open_;
  // For PathOptions::outermost: the end of the last complete duration, by owner and thread.
  std::map<std::pair<uint64_t, fxt::Koid>, uint64_t> complete_ends_;
  uint64_t ends_ = 0;             // of spans, so far
  std::vector<Request> pending_;  // a heap by LaterEnd
  size_t pending_bytes_ = 0;
  bool threads_are_out_ = false;
  uint64_t left_out_ = 0;
  uint64_t paths_left_out_ = 0;
  uint64_t without_end_ = 0;
};

}  // namespace path
