// SPDX-License-Identifier: BSD-2-Clause
// Adds notes up in groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/timeline/fact.h"
#include "measure/capture.h"
#include "measure/collect/blame_ledger.h"
#include "measure/collect/name_table.h"
#include "measure/collect/note.h"
#include "measure/collect/task_table.h"

namespace measure {

// A thread counts in the group whose name it has when something ends. One that is made within the
// capture is first named like what made it, so its first kFirstNotes notes are kept until it has
// that many, or ends, and go to the name it has then: what a shell forks counts as the command that
// it becomes. A thread that is renamed later counts in both groups, in each for its part.
class Accounts {
 public:
  static constexpr size_t kFirstNotes = 64;
  // Of all threads that are not settled yet.
  static constexpr size_t kMaxNotes = 100'000;
  // System calls by group are told apart up to this.
  static constexpr size_t kMaxCalls = 4000;

  // `tasks` must outlive it.
  explicit Accounts(TaskTable& tasks) : tasks_(tasks) {}

  // A thread's koid and process, for the first note about it at the latest.
  void Introduce(facts::ThreadIndex thread, fxt::Koid koid, std::optional<fxt::Koid> process);
  // It is made now.
  void NoteBirth(facts::ThreadIndex thread);
  void Add(facts::ThreadIndex thread, const Note& note);
  // It leaves its last CPU; what is noted up to now is all.
  void NoteEnd(facts::ThreadIndex thread);

  // The group that it counts in now.
  uint32_t GroupOf(facts::ThreadIndex thread);
  uint32_t CallNumber(std::string_view name) { return calls_.Add(std::string(name)); }

  // All groups in order of their names, their times in shares of `length` ns for each thread.
  std::vector<Group> Finish(uint64_t length);

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Member {
    bool introduced = false;
    bool counted = false;  // in `group`
    uint32_t task = TaskTable::kNoTask;
    uint32_t version = UINT32_MAX;
    uint32_t group = kNone;
    uint32_t newborn = kNone;                         // its notes, in newborns_
    std::array<uint32_t, 2> before = {kNone, kNone};  // groups that it was counted in
  };

  // A whole length on its way to its distribution: there are too many of those for the cache, so
  // their memory is asked for in advance.
  struct Pending {
    Distribution* times = nullptr;
    Instance instance;
  };
  static constexpr size_t kPending = 32;

  Member& At(facts::ThreadIndex thread) {
    if (thread >= members_.size()) members_.resize(thread + size_t{1});
    return members_[thread];
  }
  // Its group by its names now, counted as one of it.
  Group& Join(Member& member);
  uint32_t Refresh(Member& member);
  void Settle(Member& member);
  void Apply(uint32_t number, Group& group, const Note& note);
  void Queue(Distribution& times, const Note& note);
  static void Count(const Pending& pending);

  TaskTable& tasks_;
  std::vector<Member> members_;  // by facts::ThreadIndex
  std::vector<std::vector<Note>> newborns_;
  std::vector<uint32_t> free_newborns_;
  size_t notes_ = 0;
  NameTable calls_{1000};
  std::unordered_map<uint64_t, Distribution> syscalls_;  // by group and call
  BlameLedger ledger_;
  std::array<Pending, kPending> pending_{};
  size_t queued_ = 0;  // ever
};

}  // namespace measure
