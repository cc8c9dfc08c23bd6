// SPDX-License-Identifier: BSD-2-Clause
// What the records of a trace say about what sleeps were on, and what ended them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "facts/timeline/timeline_state.h"
#include "facts/wait_object.h"
#include "facts/wait_reasons.h"
#include "fxt/hash_factor.h"
#include "fxt/reader.h"
#include "path/label_pool.h"
#include "path/request.h"

namespace path {

// Facts about a sleep besides the thread that ended it.
struct Sleep {
  WaitedFor waited_for = {};
  // The cause of the wakeup, if the records have it: kDevice, kTimer or kPeer.
  std::optional<PartKind> ended_by = std::nullopt;
};

// The innermost frames of a stack of a process, "commit (log.c:12) <- main"; empty if not known.
using StackNamer = std::function<std::string(fxt::Koid process, uint64_t stack)>;

// Feed it every record that is neither a switch nor a wakeup before the timeline takes it, and the
// end of every sleep. Keeps the evidence of the latest kMaxSleeps sleeps that have any.
class SleepEvidence {
 public:
  static constexpr size_t kMaxSleeps = size_t{1} << 18;

  // Both must outlive it. `name_stack` may be null.
  SleepEvidence(const facts::TimelineState& threads, LabelPool& labels,
                StackNamer name_stack = nullptr)
      : threads_(threads), labels_(labels), name_stack_(std::move(name_stack)) {}

  void Note(const fxt::Reader& reader);
  // A sleep of `thread` has ended: by a thread, or by an interrupt or in a way that is not known.
  // `object` is what category `wait` says of it, or null.
  void NoteEnd(facts::ThreadIndex thread, uint64_t begin, uint64_t end, bool blocked,
               bool by_thread, bool by_interrupt, const facts::WaitObject* object = nullptr);

  // The evidence for the sleep that began at `begin`.
  Sleep Of(facts::ThreadIndex thread, uint64_t begin) const;

 private:
  using Key = std::pair<facts::ThreadIndex, uint64_t>;  // thread and begin
  struct HashOfKey {
    size_t operator()(const Key& key) const { return fxt::HashOf(key.first, key.second); }
  };
  // The last sleep of a thread, and the system call that it is in.
  struct Thread {
    uint64_t begin = UINT64_MAX;
    bool by_interrupt = false;
    Label call = 0;
  };

  Thread* ThreadAt(facts::ThreadIndex index);
  void NoteCall(const fxt::Event& event);
  void NoteFunction(const facts::WaitReasons::Slept& slept);
  void AddObject(Sleep& sleep, const facts::WaitObject& object);
  Sleep& Keep(const Key& key);

  const facts::TimelineState& threads_;
  LabelPool& labels_;
  StackNamer name_stack_;
  facts::WaitReasons reasons_;
  facts::KernelSections sections_;
  bool has_any_ = false;  // the trace has records of system calls, faults, block requests or stacks
  std::vector<Thread> of_threads_;  // by index
  std::unordered_map<Key, Sleep, HashOfKey> sleeps_;
  std::deque<Key> order_;  // of sleeps_, the oldest first
};

}  // namespace path
