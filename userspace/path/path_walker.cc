// SPDX-License-Identifier: BSD-2-Clause
#include "path/path_walker.h"

#include <algorithm>
#include <optional>

namespace path {
namespace {

using facts::Activity;
using facts::ActivityInterval;

Activity ActivityOf(const facts::TimelineState::Thread& thread) {
  if (thread.running) return Activity::kRun;
  switch (thread.kind) {
    case facts::WaitKind::kWakeup:
      return Activity::kWakeup;
    case facts::WaitKind::kPreempted:
      return Activity::kPreempted;
    case facts::WaitKind::kSleep:
      return Activity::kSleep;
    case facts::WaitKind::kBlocked:
      return Activity::kBlocked;
    case facts::WaitKind::kStopped:
      return Activity::kStopped;
    case facts::WaitKind::kThrottled:
      return Activity::kThrottled;
    case facts::WaitKind::kAbsent:
      return Activity::kAbsent;
    default:
      return Activity::kUnknown;
  }
}

}  // namespace

std::optional<ActivityInterval> PathWalker::ThreadBefore(facts::ThreadIndex index, uint64_t time) {
  if (index >= timeline_.threads().size()) return std::nullopt;
  // Behind the last record of scheduling nothing is known.
  if (time > timeline_.latest()) return ActivityInterval{.begin = timeline_.latest(), .end = time};
  const uint64_t kept_to = threads_.EndOf(index);
  if (time <= kept_to) return threads_.Before(index, time);
  // The interval at the current time.
  const auto& thread = timeline_.threads()[index];
  if (thread.idle) return std::nullopt;
  ActivityInterval current{.begin = thread.since,
                           .end = UINT64_MAX,
                           .activity = ActivityOf(thread),
                           .by_interrupt = false,
                           .other = ActivityInterval::kNone};
  if (thread.running) {
    const auto* cpu = timeline_.cpu(thread.cpu);
    if (cpu == nullptr) return std::nullopt;
    current.begin = cpu->since;
    current.other = thread.cpu;
  }
  current.begin = std::max(current.begin, kept_to);
  if (time > current.begin) return current;
  return ActivityInterval{.begin = kept_to, .end = time};
}

ActivityInterval PathWalker::CpuBefore(uint32_t number, uint64_t time) {
  const ActivityInterval unknown{.begin = 0, .end = time};
  const auto* cpu = timeline_.cpu(number);
  if (cpu == nullptr) return unknown;
  const uint64_t kept_to = cpus_.EndOf(number);
  if (time <= kept_to) return cpus_.Before(number, time).value_or(unknown);
  ActivityInterval current{.begin = std::max(cpu->since, kept_to), .end = UINT64_MAX};
  if (time <= current.begin) return {.begin = kept_to, .end = time};
  if (cpu->does == facts::CpuActivity::kRun) {
    current.activity = Activity::kRun;
    current.other = cpu->index;
  } else if (cpu->does == facts::CpuActivity::kIdle) {
    current.activity = Activity::kIdle;
  }
  return current;
}

Part& PathWalker::AddPart(PartKind kind, uint64_t begin) {
  const Frame& frame = frames_.back();
  parts_.push_back({.begin = begin,
                    .length = at_ - begin,
                    .thread = frame.thread,
                    .holder = facts::kNoThread,
                    .waiter = frame.waiter,
                    .waited_for = frame.waited_for,
                    .depth = static_cast<uint16_t>(frames_.size() - 1),
                    .kind = kind,
                    .idle_cpu = false});
  at_ = begin;
  return parts_.back();
}

void PathWalker::AddWaitForCpu(uint64_t begin, uint32_t cpu) {
  if (cpu == ActivityInterval::kNone) {
    AddPart(PartKind::kRunnable, begin);
    return;
  }
  while (at_ > begin) {
    if (!TakeStep()) {
      AddPart(PartKind::kRunnable, begin);
      return;
    }
    const ActivityInterval interval = CpuBefore(cpu, at_);
    Part& part = AddPart(PartKind::kRunnable, std::max(interval.begin, begin));
    part.idle_cpu = interval.activity == Activity::kIdle;
    if (interval.activity == Activity::kRun && interval.other != part.thread) {
      part.holder = interval.other;
    }
  }
}

void PathWalker::StepOverSleep(const ActivityInterval& interval, uint64_t begin) {
  const Frame frame = frames_.back();
  const bool blocked = interval.activity == Activity::kBlocked;
  // The operation of a sleep is known at its end.
  const Sleep sleep = interval.end > at_ ? Sleep{} : evidence_.Of(frame.thread, interval.begin);
  const auto add = [&](PartKind kind) { AddPart(kind, begin).waited_for = sleep.waited_for; };
  // The sleep goes on: on the request's own thread that is a fact, while a thread that woke another
  // one does not sleep, so that a record is missing.
  if (interval.end > at_) {
    const bool is_own = frames_.size() == 1 && interval.activity != Activity::kAbsent;
    return add(!is_own ? PartKind::kUnknown : blocked ? PartKind::kBlocked : PartKind::kSleep);
  }
  if (sleep.ended_by) return add(*sleep.ended_by);
  if (interval.other != ActivityInterval::kNone) {
    if (frames_.size() > kMaxDepth) return add(PartKind::kUnknown);
    const auto waker = ThreadBefore(interval.other, at_);
    if (!waker || waker->activity != Activity::kRun) return add(PartKind::kUnknown);
    frames_.push_back({.thread = interval.other,
                       .low = begin,
                       .waiter = frame.thread,
                       .waited_for = sleep.waited_for});
    return;
  }
  if (!interval.by_interrupt) return add(PartKind::kUnknown);
  add(blocked ? PartKind::kBlocked : PartKind::kSleep);
}

void PathWalker::Step() {
  const Frame& frame = frames_.back();
  const auto interval = ThreadBefore(frame.thread, at_);
  if (!interval) {
    AddPart(PartKind::kUnknown, frame.low);
    return;
  }
  const uint64_t begin = std::max(interval->begin, frame.low);
  switch (interval->activity) {
    case Activity::kRun:
      AddPart(PartKind::kRunning, begin);
      return;
    case Activity::kWakeup:
    case Activity::kPreempted:
      // The CPU of a wait that goes on at the end of the request is not decided yet.
      return AddWaitForCpu(begin, interval->end > at_ ? ActivityInterval::kNone : interval->other);
    case Activity::kThrottled:
      AddPart(PartKind::kThrottled, begin);
      return;
    case Activity::kSleep:
    case Activity::kBlocked:
    case Activity::kStopped:
    case Activity::kAbsent:
      return StepOverSleep(*interval, begin);
    case Activity::kUnknown:
    case Activity::kIdle:
      AddPart(PartKind::kUnknown, begin);
      return;
  }
}

const std::vector<Part>& PathWalker::Walk(const Request& request) {
  parts_.clear();
  frames_.clear();
  at_ = request.end;
  frames_.push_back({.thread = timeline_.Find(request.thread), .low = request.begin});
  while (!frames_.empty()) {
    if (at_ <= frames_.back().low) {
      frames_.pop_back();
      continue;
    }
    if (!TakeStep()) {
      frames_.resize(1);
      AddPart(PartKind::kUnknown, request.begin);
      break;
    }
    Step();
  }
  std::reverse(parts_.begin(), parts_.end());
  // Neighbours that differ in nothing but their time are one.
  size_t kept = 0;
  for (const Part& part : parts_) {
    if (kept != 0 && parts_[kept - 1].Continues(part)) {
      parts_[kept - 1].length += part.length;
    } else {
      parts_[kept++] = part;
    }
  }
  parts_.resize(kept);
  return parts_;
}

}  // namespace path
