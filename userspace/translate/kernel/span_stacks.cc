// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/span_stacks.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "schema/wait_reason.h"

namespace translate {
namespace {

constexpr unsigned kLockShift = 2;  // see FXR_LOCK_BEGIN_BODY

std::string_view IpiName(uint8_t kind) {
  switch (kind) {
    case FXR_IPI_RESCHEDULE:
      return "reschedule";
    case FXR_IPI_CALL_FUNCTION:
      return "call_function";
    case FXR_IPI_CALL_FUNCTION_SINGLE:
      return "call_function_single";
    default:
      return "ipi";
  }
}

std::string_view LockName(uint8_t kind) {
  constexpr std::array<std::string_view, 10> kNames = {
      "lock",        "spinlock", "rwlock read", "rwlock write",      "rwsem read",
      "rwsem write", "mutex",    "rt_mutex",    "percpu_rwsem read", "percpu_rwsem write"};
  return kNames[kind < kNames.size() ? kind : 0];
}

// True for locks that a thread never waits for during another lock wait. Spinlocks are excluded
// because interrupts take them at any time, rt_mutexes because PREEMPT_RT builds other locks on
// them.
bool IsOuterLock(uint8_t kind) {
  return kind == FXR_LOCK_MUTEX || kind == FXR_LOCK_RWSEM_READ || kind == FXR_LOCK_RWSEM_WRITE ||
         kind == FXR_LOCK_PERCPU_RWSEM_READ || kind == FXR_LOCK_PERCPU_RWSEM_WRITE;
}

}  // namespace

void SpanStacks::Begin(uint64_t time, model::ThreadHandle track, const Open& open) {
  stacks_[track].push_back(open);
  file_.CountRefusal(file_.writer().WriteEvent(fxt::EventType::kDurationBegin, time,
                                               file_.Mention(track), file_.Id(open.category),
                                               open.name));
}

SpanStacks::Open* SpanStacks::Innermost(model::ThreadHandle track, fxr_category category) {
  const auto found = stacks_.find(track);
  if (found == stacks_.end()) return nullptr;
  std::vector<Open>& stack = found->second;
  const auto innermost = std::find_if(stack.rbegin(), stack.rend(),
                                      [&](const Open& open) { return open.category == category; });
  if (innermost == stack.rend()) return nullptr;
  return &*innermost;
}

bool SpanStacks::End(uint64_t time, model::ThreadHandle track, fxr_category category,
                     const Number& number) {
  const Open* innermost = Innermost(track, category);
  if (!innermost) return false;
  const Open open = *innermost;
  std::vector<Open>& stack = stacks_[track];
  // The ends of the nested spans were lost.
  stack.resize(static_cast<size_t>(innermost - stack.data()));
  if (stack.empty()) stacks_.erase(track);
  OpenRecord record = file_.Begin(track);
  fxt::Argument argument{};
  if (!number.name.empty()) argument = {record.Intern(number.name), number.value};
  record.Write(fxt::Event{.type = fxt::EventType::kDurationEnd,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(category),
                          .name = record.Refer(open.name),
                          .arguments = {&argument, number.name.empty() ? size_t{0} : size_t{1}}});
  return true;
}

void SpanStacks::EndAll(uint64_t time, model::ThreadHandle track, fxr_category category) {
  while (End(time, track, category)) {
  }
}

void SpanStacks::OnLoss(uint64_t time, fxr_category category) {
  std::vector<model::ThreadHandle> tracks;
  for (const auto& [track, stack] : stacks_) {
    if (std::ranges::any_of(stack, [&](const Open& open) { return open.category == category; })) {
      tracks.push_back(track);
    }
  }
  std::ranges::sort(tracks);
  for (const model::ThreadHandle track : tracks) {
    EndAll(time, track, category);
    if (category == FXR_CATEGORY_FAULT) waiting_.erase(track);
  }
}

bool SpanStacks::OnTimer(uint64_t time, model::ThreadHandle track,
                         const fxr_timer_entry_body& event) {
  Begin(time, track, {FXR_CATEGORY_TIMER, functions_.Of(event.function)});
  return true;
}

bool SpanStacks::OnTimerEnd(uint64_t time, model::ThreadHandle track) {
  return End(time, track, FXR_CATEGORY_TIMER);
}

bool SpanStacks::OnIpi(uint64_t time, model::ThreadHandle track, const fxr_ipi_entry_body& event) {
  Begin(time, track, {FXR_CATEGORY_IPI, file_.Declare(IpiName(event.kind))});
  return true;
}

bool SpanStacks::OnIpiEnd(uint64_t time, model::ThreadHandle track) {
  return End(time, track, FXR_CATEGORY_IPI);
}

bool SpanStacks::OnWork(uint64_t time, model::ThreadHandle track,
                        const fxr_work_start_body& event) {
  // A worker executes one work item at a time, so the end of the previous one was lost.
  EndAll(time, track, FXR_CATEGORY_WORKQUEUE);
  Begin(time, track, {FXR_CATEGORY_WORKQUEUE, functions_.Of(event.function)});
  return true;
}

bool SpanStacks::OnWorkEnd(uint64_t time, model::ThreadHandle track) {
  return End(time, track, FXR_CATEGORY_WORKQUEUE);
}

bool SpanStacks::OnReclaim(uint64_t time, model::ThreadHandle track,
                           const fxr_reclaim_begin_body& event) {
  // Reclaim does not nest, so the end of the previous one was lost.
  EndAll(time, track, FXR_CATEGORY_RECLAIM);
  const Open open{FXR_CATEGORY_RECLAIM,
                  file_.Declare(event.is_memcg != 0 ? "memcg_reclaim" : "direct_reclaim")};
  stacks_[track].push_back(open);
  OpenRecord record = file_.Begin(track);
  const std::array arguments = {fxt::Argument{record.Intern("order"), uint32_t{event.order}},
                                fxt::Argument{record.Intern("flags"), uint32_t{event.flags}}};
  record.Write(fxt::Event{.type = fxt::EventType::kDurationBegin,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_RECLAIM),
                          .name = record.Refer(open.name),
                          .arguments = arguments});
  return true;
}

bool SpanStacks::OnReclaimEnd(uint64_t time, model::ThreadHandle track,
                              const fxr_reclaim_end_body& event) {
  return End(time, track, FXR_CATEGORY_RECLAIM, {"pages", event.pages});
}

// A mutex reports a second begin when the waiter stops spinning and sleeps. The second begin
// becomes an instant within the same wait.
bool SpanStacks::OnLock(uint64_t time, model::ThreadHandle track,
                        const fxr_lock_begin_body& event) {
  const auto found = stacks_.find(track);
  const bool again = found != stacks_.end() && !found->second.empty() &&
                     found->second.back().category == FXR_CATEGORY_LOCK &&
                     found->second.back().lock == event.lock;
  // The ends of the thread's earlier waits were lost.
  if (!again && IsOuterLock(event.kind)) EndAll(time, track, FXR_CATEGORY_LOCK);
  const Open open{FXR_CATEGORY_LOCK, file_.Declare(LockName(event.kind)), event.lock};
  if (!again) stacks_[track].push_back(open);
  OpenRecord record = file_.Begin(track);
  const fxt::Argument lock{record.Intern("lock"),
                           fxt::PointerValue{static_cast<uint64_t>(event.lock) << kLockShift}};
  record.Write(fxt::Event{.type = again ? fxt::EventType::kInstant : fxt::EventType::kDurationBegin,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_LOCK),
                          .name = record.Refer(open.name),
                          .arguments = {&lock, 1}});
  return true;
}

void SpanStacks::BeginFault(uint64_t time, model::ThreadHandle track, int64_t address) {
  const Open open{FXR_CATEGORY_FAULT, file_.Declare(schema::event::kMajorFault)};
  stacks_[track].push_back(open);
  waiting_.insert(track);
  OpenRecord record = file_.Begin(track);
  const fxt::Argument argument{record.Intern(schema::argument::kAddress),
                               fxt::PointerValue{static_cast<uint64_t>(address)}};
  record.Write(fxt::Event{.type = fxt::EventType::kDurationBegin,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_FAULT),
                          .name = record.Refer(open.name),
                          .arguments = {&argument, 1}});
}

void SpanStacks::EndMinorFault(uint64_t time, model::ThreadHandle track) {
  if (waiting_.erase(track) != 0) End(time, track, FXR_CATEGORY_FAULT, {"minor", 1});
}

bool SpanStacks::OnFaultWait(uint64_t time, model::ThreadHandle track,
                             const fxr_fault_wait_body& event) {
  EndMinorFault(time, track);
  BeginFault(time, track, event.address);
  return true;
}

bool SpanStacks::OnMajorFault(uint64_t time, model::ThreadHandle track,
                              const fxr_fault_major_body& event) {
  if (!waiting_.contains(track)) BeginFault(time, track, event.address);
  waiting_.erase(track);
  return End(time, track, FXR_CATEGORY_FAULT);
}

void SpanStacks::OnTrackGone(model::ThreadHandle track) {
  waiting_.erase(track);
  stacks_.erase(track);
}

bool SpanStacks::OnLockEnd(uint64_t time, model::ThreadHandle track,
                           const fxr_lock_end_body& event) {
  const auto found = stacks_.find(track);
  if (found == stacks_.end()) return false;
  const auto waits_for = [&](const Open& open) {
    return open.category == FXR_CATEGORY_LOCK && open.lock == event.lock;
  };
  if (std::ranges::none_of(found->second, waits_for)) return false;
  // The ends of waits that nest in this one were lost.
  for (const Open* innermost = Innermost(track, FXR_CATEGORY_LOCK); !waits_for(*innermost);
       innermost = Innermost(track, FXR_CATEGORY_LOCK)) {
    End(time, track, FXR_CATEGORY_LOCK);
  }
  if (event.failed != 0) return End(time, track, FXR_CATEGORY_LOCK, {"failed", 1});
  return End(time, track, FXR_CATEGORY_LOCK);
}

}  // namespace translate
