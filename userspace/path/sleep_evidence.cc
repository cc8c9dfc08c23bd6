// SPDX-License-Identifier: BSD-2-Clause
#include "path/sleep_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <variant>

#include "fxt_record/event_table.h"
#include "schema/event_info.h"
#include "schema/names.h"
#include "schema/wait_object.h"

namespace path {
namespace {

// In these a thread waits for a timer and for nothing else that an interrupt brings.
constexpr std::array<std::string_view, 2> kTimerCalls = {"nanosleep", "clock_nanosleep"};
constexpr std::array<std::string_view, 3> kTimerFunctions = {"hrtimer_nanosleep", "do_nanosleep",
                                                             "common_nsleep"};

template <typename Names>
bool IsOneOf(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Reasons of facts::WaitReasons that name a request of a block device begin so.
constexpr std::string_view kBlock = "block ";
bool NamesBlockRequest(std::string_view reason) {
  return reason.starts_with(kBlock) || reason.find("; block ") != std::string_view::npos;
}

// Whether a socket is connected to another host: "10.0.0.2:40112 -> 10.0.0.9:6379". A packet that a
// thread of this host sent names its sender as the waker, also between network namespaces.
bool IsRemote(const facts::WaitObject& object) {
  constexpr std::array<std::string_view, 4> kKinds = {"tcp", "udp", "mptcp", "raw"};
  constexpr std::string_view kArrow = " -> ";
  const std::string_view text = object.object;
  const size_t arrow = text.find(kArrow);
  if (!IsOneOf(kKinds, object.kind) || arrow == std::string_view::npos) return false;
  const auto host = [](std::string_view address) { return address.substr(0, address.rfind(':')); };
  const std::string_view remote = host(text.substr(arrow + kArrow.size()));
  const bool is_loopback = remote.starts_with("127.") || remote == "[::1]";
  return !is_loopback && remote != host(text.substr(0, arrow));
}

// The cause of a wakeup by an interrupt, if the object of the sleep determines it.
std::optional<PartKind> EndOf(const facts::WaitObject& object, uint64_t slept) {
  if (object.kind == schema::wait_kind::kSleep || slept >= object.asked.value_or(UINT64_MAX)) {
    return PartKind::kTimer;
  }
  if (IsRemote(object)) return PartKind::kPeer;
  return std::nullopt;
}

}  // namespace

SleepEvidence::Thread* SleepEvidence::ThreadAt(facts::ThreadIndex index) {
  if (index == facts::kNoThread || index >= threads_.threads().size()) return nullptr;
  if (index >= of_threads_.size()) of_threads_.resize(threads_.threads().size());
  return &of_threads_[index];
}

void SleepEvidence::NoteCall(const fxt::Event& event) {
  Thread* thread = ThreadAt(threads_.Find(event.thread.thread));
  if (thread == nullptr) return;
  if (event.type == fxt::EventType::kDurationBegin) {
    has_any_ = true;
    thread->call = labels_.Add(event.name.text);
  } else if (event.type == fxt::EventType::kDurationEnd) {
    thread->call = 0;
  }
}

void SleepEvidence::NoteFunction(const facts::WaitReasons::Slept& slept) {
  const facts::ThreadIndex index = threads_.Find(slept.thread);
  const Thread* thread = ThreadAt(index);
  if (thread == nullptr || thread->begin == UINT64_MAX || !facts::IsOf(slept, thread->begin))
    return;
  Sleep& sleep = Keep({index, thread->begin});
  std::string stack = slept.in;
  if (name_stack_ && slept.stack) {
    const std::string callers = name_stack_(slept.process, *slept.stack);
    if (!stack.empty() && !callers.empty()) stack += " <- ";
    stack += callers;
  }
  sleep.waited_for.stack = labels_.Add(stack);
  if (thread->by_interrupt && !sleep.ended_by && IsOneOf(kTimerFunctions, slept.in)) {
    sleep.ended_by = PartKind::kTimer;
  }
}

void SleepEvidence::Note(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  if (std::holds_alternative<fxt::KernelObject>(record)) return reasons_.NoteObject(record);
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event == nullptr) return;
  reasons_.NoteEvent(reader);
  if (!sections_.Has(reader)) return;
  const std::string_view category = event->category.text;
  if (category == schema::CategoryName(FXR_CATEGORY_SYSCALL)) {
    NoteCall(*event);
  } else if (category == schema::CategoryName(FXR_CATEGORY_BLOCK) ||
             category == schema::CategoryName(FXR_CATEGORY_FAULT)) {
    has_any_ = true;
  } else if (const auto& slept = reasons_.slept()) {
    has_any_ = true;
    NoteFunction(*slept);
  }
}

void SleepEvidence::AddObject(Sleep& sleep, const facts::WaitObject& object) {
  WaitedFor& waited_for = sleep.waited_for;
  if (waited_for.what == 0) {
    waited_for.what = labels_.Add(object.syscall.empty() ? object.kind : object.syscall);
  }
  if (!object.object.empty()) {
    const std::string_view device = labels_.TextOf(waited_for.object);
    const std::string text =
        device.empty() ? object.object : fmt::format("{}, {}", object.object, device);
    waited_for.object = labels_.Add(text);
  }
  waited_for.stack = labels_.Add(object.function);
}

void SleepEvidence::NoteEnd(facts::ThreadIndex index, uint64_t begin, uint64_t end, bool blocked,
                            bool by_thread, bool by_interrupt, const facts::WaitObject* object) {
  if (!has_any_ && !reasons_.has_stacks() && object == nullptr) return;
  Thread* thread = ThreadAt(index);
  if (thread == nullptr) return;
  thread->begin = begin;
  thread->by_interrupt = by_interrupt;
  std::string reason;
  if (blocked) {
    reason = reasons_.ReasonOf(threads_.threads()[index].koid, begin, end, by_thread);
  }
  if (reason.empty() && thread->call == 0 && object == nullptr) return;
  Sleep& sleep = Keep({index, begin});
  sleep.waited_for.what = thread->call;
  if (!reason.empty()) {
    // Without addresses and sectors, which differ in each request.
    const std::string kind = facts::KindOfReason(reason);
    const size_t device = kind.starts_with(kBlock) ? kind.find(' ', kBlock.size()) : kind.size();
    sleep.waited_for.what = labels_.Add(std::string_view(kind).substr(0, device));
    if (device < kind.size()) {
      sleep.waited_for.object = labels_.Add(std::string_view(kind).substr(device + 1));
    }
    // A thread that ended it has more to say: the request is not the whole of the wait.
    if (!by_thread && NamesBlockRequest(reason)) sleep.ended_by = PartKind::kDevice;
  } else if (by_interrupt && IsOneOf(kTimerCalls, labels_.TextOf(thread->call))) {
    sleep.ended_by = PartKind::kTimer;
  }
  if (object == nullptr) return;
  AddObject(sleep, *object);
  if (by_interrupt && !sleep.ended_by) sleep.ended_by = EndOf(*object, end - begin);
}

Sleep& SleepEvidence::Keep(const Key& key) {
  const auto [entry, is_new] = sleeps_.try_emplace(key);
  if (is_new) {
    order_.push_back(key);
    if (order_.size() > kMaxSleeps) {
      sleeps_.erase(order_.front());
      order_.pop_front();
    }
  }
  return entry->second;
}

Sleep SleepEvidence::Of(facts::ThreadIndex thread, uint64_t begin) const {
  const auto found = sleeps_.find({thread, begin});
  return found == sleeps_.end() ? Sleep{} : found->second;
}

}  // namespace path
