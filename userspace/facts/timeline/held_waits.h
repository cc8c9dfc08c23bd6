// SPDX-License-Identifier: BSD-2-Clause
// Waits in D with the reason of each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "facts/timeline/fact.h"
#include "facts/wait_reasons.h"
#include "fxt/reader.h"

namespace facts {

// Holds waits in D back until their reason is complete: a stack comes when the thread runs again.
// Calls `emit(held, reason)` for each, at the latest when the run after it or the next wait in D
// ends. `Held` is the owner's data of the wait. Waits are emitted at once if no stacks are
// recorded. A member `stack` of `Held` takes the id of the stack.
template <typename Held, typename Emit>
class HeldWaits {
 public:
  explicit HeldWaits(Emit emit) : emit_(std::move(emit)) {}

  // Takes every record in file order, before the timeline does. For kernel objects or events only,
  // if the caller knows the kind of the record.
  void NoteObject(const fxt::Record& record) { reasons_.NoteObject(record); }
  void NoteEvent(const fxt::Reader& reader) {
    reasons_.NoteEvent(reader);
    const auto& slept = reasons_.slept();
    if (!slept) return;
    const auto found = waits_.find(slept->thread);
    if (found == waits_.end() || !IsOf(*slept, found->second.begin)) return;
    Entry& entry = found->second;
    if constexpr (requires { entry.held.stack; }) entry.held.stack = slept->stack;
    if (!entry.has_function) entry.reason = JoinReasons(entry.reason, slept->in);
    Release(slept->thread);
  }
  // A wait in D that has ended. `is_end_known`: the records before its end may explain it.
  // `needs_stack`: it is held also if its reason is complete.
  void Hold(const Wait& wait, bool is_end_known, Held held, bool needs_stack = false) {
    // An entry takes up to 6 KiB.
    constexpr size_t kMaxWaits = 16'384;
    Release(wait.thread);
    std::string reason;
    if (is_end_known) {
      const bool by_thread = wait.end_record != WaitEnd::kWakeup || wait.end_waker;
      reason = reasons_.ReasonOf(wait.thread, wait.begin, wait.end, by_thread);
    }
    const bool has_function = wait.object != nullptr && !wait.object->function.empty();
    if (has_function) reason = JoinReasons(reason, wait.object->function);
    // The stack that comes later has the same function.
    if ((has_function && !needs_stack) || !reasons_.has_stacks() || waits_.size() >= kMaxWaits) {
      return emit_(held, reason);
    }
    waits_.emplace(wait.thread,
                   Entry{wait.begin, std::move(held), std::move(reason), has_function});
  }
  // False: Hold() lets waits out at once.
  bool has_stacks() const { return reasons_.has_stacks(); }
  // A run of the thread has ended.
  void Release(fxt::Koid thread) {
    if (waits_.empty()) [[likely]] {
      return;
    }
    const auto found = waits_.find(thread);
    if (found == waits_.end()) return;
    emit_(found->second.held, found->second.reason);
    waits_.erase(found);
  }
  // After the last record.
  void Finish() {
    for (auto& [thread, entry] : waits_) emit_(entry.held, entry.reason);
    waits_.clear();
  }
  // True if `test(begin)` holds for the begin of every wait that is held.
  template <typename Test>
  bool AllBegin(Test&& test) const {
    return std::all_of(waits_.begin(), waits_.end(),
                       [&](const auto& each) { return test(each.second.begin); });
  }

 private:
  struct Entry {
    uint64_t begin = 0;
    Held held;
    std::string reason;
    bool has_function = false;  // in the reason
  };

  WaitReasons reasons_;
  std::map<fxt::Koid, Entry> waits_;  // by thread: Finish() has an order of its own
  Emit emit_;
};

}  // namespace facts
