// SPDX-License-Identifier: BSD-2-Clause
// Adds notes up in groups.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "facts/dense_table.h"
#include "facts/timeline/fact.h"
#include "measure/capture.h"
#include "measure/collect/blame_ledger.h"
#include "measure/collect/counted_fact.h"
#include "measure/collect/name_table.h"
#include "measure/collect/task_table.h"

namespace measure {

// The process of a thread that no record names.
inline constexpr std::optional<fxt::Koid> kNoProcess;

// A fact counts for the group of the name that its thread has at the end of the fact. A thread that
// is created within the capture has first the name of its parent. So its first kMaxFirstFacts facts
// are held until there are that many, or until the thread ends, and count for its name at that
// time: a child of a shell counts as the command that it executes. A thread that is renamed later
// counts for both groups.
class Accounts {
 public:
  static constexpr size_t kMaxFirstFacts = 64;
  // Limit for all threads that are not settled yet.
  static constexpr size_t kMaxHeldFacts = 100'000;
  // The limit of pairs of group and system call that are counted separately.
  static constexpr size_t kMaxCalls = 4000;
  // The limits of objects of sleeps, and of pairs of group and object.
  static constexpr size_t kMaxObjects = 4000;
  static constexpr size_t kMaxGroupObjects = 16000;

  // State of a thread; valid until the next one is introduced.
  class alignas(64) Member {
   public:
    uint32_t group_number() const { return group; }

   private:
    friend class Accounts;
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr uint32_t kUntracked = UINT32_MAX - 1;  // as `newborn`: beyond the limit
    bool introduced = false;
    bool counted = false;  // in `group`
    uint32_t task = TaskTable::kNoTask;
    uint32_t version = UINT32_MAX;
    uint32_t group = kNone;
    uint32_t newborn = kNone;                         // its notes, in newborns_
    std::array<uint32_t, 2> before = {kNone, kNone};  // groups that it was counted in
    uint64_t placed = 0;     // epoch of the tasks in which its process was known
    uint64_t refreshed = 0;  // epoch that `group` is of
    uint64_t settled = 0;    // epoch in which all of the above is as it should be
    Group* at = nullptr;     // of `group`
  };

  // Both must outlive it. `limits`: of CountedFact::limit.
  Accounts(TaskTable& tasks, const std::vector<facts::CpuLimit>& limits)
      : tasks_(tasks), limits_(limits) {
    untracked_.newborn = Member::kUntracked;
  }

  // A thread's koid and process, before anything is noted about it.
  Member& Introduce(facts::ThreadIndex thread, fxt::Koid koid,
                    const std::optional<fxt::Koid>& process) {
    if (thread == facts::kNoThread) [[unlikely]] {
      return untracked_;
    }
    Member& member = members_.At(thread);
    if (!member.introduced || (process && member.placed != tasks_.epoch())) [[unlikely]] {
      Place(member, koid, process);
    }
    return member;
  }
  // It is made now.
  void NoteBirth(facts::ThreadIndex thread) { Expect(members_.At(thread)); }
  // `held`: of a wait for a CPU, once for each group and kind of priority. In the place that makes
  // the note, which knows what is not in it: a fourth of the work.
  [[gnu::always_inline]] void Add(Member& member, const CountedFact& note,
                                  std::span<const Held> held = {}) {
    if (member.newborn != Member::kNone) [[unlikely]] {
      return KeepForLater(member, CountedFact(note), held);
    }
    Join(member);
    Apply(member, note, held);
  }
  // Whether nothing is to be looked up for what is noted of a thread, and nothing kept for later:
  // what follows is for such ones.
  bool IsSettled(facts::ThreadIndex thread) const {
    return thread < members_.size() && members_[thread].settled == tasks_.epoch();
  }
  // The same; settles it if that can be.
  [[gnu::cold, gnu::noinline]] bool TrySettle(facts::ThreadIndex thread);
  // The process of a settled thread.
  std::optional<fxt::Koid> ProcessOf(facts::ThreadIndex thread) const {
    return tasks_.ProcessOf(members_[thread].task);
  }
  Member& Settled(facts::ThreadIndex thread) { return members_[thread]; }
  // A whole run.
  [[gnu::always_inline]] void AddRun(Member& member, const Instance& run, bool preempted,
                                     bool migrated) {
    Group& group = *member.at;
    group.share_ns[static_cast<size_t>(facts::Share::kRunning)] += run.length;
    group.of(Duration::kSlice).AddWhole(run);
    group.switches_voluntary += !preempted;
    group.switches_involuntary += preempted;
    group.migrations += migrated;
  }
  // A whole wait for a CPU. `preemptor`: the thread that preempted it; `after_blocked`: it was
  // blocked before the wakeup.
  [[gnu::always_inline]] void AddRunnable(Member& member, const Instance& wait, bool preempted,
                                          uint32_t preemptor, bool after_blocked) {
    Group& group = *member.at;
    const auto share = preempted ? facts::Share::kRunnablePreempted : facts::Share::kRunnableWakeup;
    group.share_ns[static_cast<size_t>(share)] += wait.length;
    group.of(preempted ? Duration::kPreemptedWait : Duration::kWakeupLatency).AddWhole(wait);
    if (preempted) {
      ledger_.Add(member.group, Attribution::kPreemptedBy, preemptor,
                  {.count = 1, .ns = wait.length});
    } else if (after_blocked) {
      group.after_blocked_ns += wait.length;
    }
  }
  // The threads that ran on the CPU meanwhile.
  [[gnu::always_inline]] void AddHolders(Member& member, uint64_t unconserved_ns,
                                         const facts::RunnableParts& parts,
                                         std::span<const Held> held) {
    ApplyHolders(*member.at, member.group, unconserved_ns, parts, held);
  }
  // The same in parts, where that can be; inversion_ns is not in them.
  bool HasParts(const Member& member) const { return holder_ledger_.HasParts(member.group); }
  BlameLedger::Parts PartsOf(const Member& member) { return holder_ledger_.PartsOf(member.group); }
  void AddInversion(Member& member, uint64_t ns) { member.at->inversion_ns += ns; }
  // A whole sleep, ended by a wakeup.
  [[gnu::always_inline]] void AddSleep(Member& member, const Instance& sleep, bool blocked,
                                       uint32_t waker, facts::WaitsFor waits_for, uint32_t whom) {
    Group& group = *member.at;
    const auto share = blocked ? facts::Share::kBlocked : facts::Share::kSleeping;
    group.share_ns[static_cast<size_t>(share)] += sleep.length;
    ++group.wakeups;
    if (blocked) [[unlikely]] {
      group.of(Duration::kBlocked).AddWhole(sleep);
      ledger_.Add(member.group, Attribution::kWokenBy, waker,
                  {.count = 1, .ns = sleep.length, .blocked_ns = sleep.length, .blocked = 1});
    } else {
      CountSleep(group, member.group, sleep, waker, whom, waits_for);
    }
  }

  // The thread leaves its last CPU; there are no further facts.
  void NoteEnd(Member& member) { Settle(member); }

  // The group that it counts in now.
  uint32_t GroupOf(Member& member) {
    if (member.refreshed != tasks_.epoch()) [[unlikely]] {
      LookUp(member);
    }
    return member.group;
  }
  // A system call of a thread of which no more is known than its group's number.
  void AddLimit(Group& group, const CountedFact& note) const;
  void CountCall(uint32_t group, const CountedFact& note);
  void CountObject(uint32_t group, const CountedFact& note);
  // The number for CountedFact::object.
  uint32_t ObjectNumber(const facts::WaitObject& object, bool blocked, facts::WaitsFor waits_for);
  uint32_t CallNumber(std::string_view name) { return calls_.Add(std::string(name)); }

  // All groups in order of their names, their times in shares of `length` ns for each thread.
  std::vector<Group> Finish(uint64_t length);

 private:
  struct KeptNote {
    CountedFact note;
    std::vector<Held> held;
  };

  // Its group by its names now, counted as one of it.
  void Join(Member& member) {
    GroupOf(member);
    if (!member.counted) [[unlikely]] {
      CountIn(member);
    }
  }
  void Place(Member& member, fxt::Koid koid, const std::optional<fxt::Koid>& process);
  void Expect(Member& member);
  void CountIn(Member& member);
  void LookUp(Member& member);
  void KeepForLater(Member& member, CountedFact note, std::span<const Held> held);
  void Settle(Member& member);
  [[gnu::always_inline]] void Apply(Member& member, const CountedFact& note,
                                    std::span<const Held> held);
  [[gnu::always_inline]] void ApplyTimes(Group& group, uint32_t number, const CountedFact& note);
  [[gnu::always_inline]] void ApplyHolders(Group& group, uint32_t number, uint64_t unconserved_ns,
                                           const facts::RunnableParts& parts,
                                           std::span<const Held> held);
  // Counts a whole sleep, not in D, by its purpose alone: Finish() adds the purposes to all sleeps.
  // Sleeps are as many as switches, and counting each of them twice costs a tenth of all work.
  [[gnu::always_inline]] void CountSleep(Group& group, uint32_t number, const Instance& sleep,
                                         uint32_t waker, uint32_t whom, facts::WaitsFor waits_for) {
    const Blame blame{.count = 1, .ns = sleep.length};
    const SleepPart part = kSleepCounts[static_cast<size_t>(waits_for)];
    group.of(part.duration).AddWhole(sleep);
    ledger_.Add(number, part.attribution, whom, blame);
    // Another thread than the waker may have held a lock.
    if (part.attribution == Attribution::kLetGoBy) [[unlikely]] {
      ledger_.Add(number, Attribution::kWokenBy, waker, blame);
    }
  }
  // By facts::WaitsFor. A table, since no CPU can predict the purposes of sleeps.
  static constexpr std::array<SleepPart, facts::kWaitsFor> kSleepCounts = [] {
    std::array<SleepPart, facts::kWaitsFor> counts;
    for (size_t i = 0; i < counts.size(); ++i) {
      counts[i] = SleepPartOf(static_cast<facts::WaitsFor>(i))
                      .value_or(SleepPart{Duration::kSleep, Attribution::kWokenBy});
    }
    return counts;
  }();
  // Whether the other group is always that of the waker.
  static bool IsByWaker(Attribution why) {
    return why == Attribution::kAnsweredBy || why == Attribution::kGivenWorkBy;
  }

  TaskTable& tasks_;
  const std::vector<facts::CpuLimit>& limits_;
  facts::DenseTable<Member> members_;  // by facts::ThreadIndex
  Member untracked_;
  std::vector<std::vector<KeptNote>> newborns_;
  std::vector<uint32_t> free_newborns_;
  size_t notes_ = 0;
  NameTable calls_{1000};
  std::unordered_map<uint64_t, Distribution> syscalls_;  // by group and call
  std::map<WaitedObject, uint32_t> object_numbers_;
  std::vector<const WaitedObject*> objects_;           // by number
  std::unordered_map<uint64_t, Blame> group_objects_;  // by group and object
  // Two ledgers, so that the room in one does not depend on the other.
  BlameLedger ledger_;
  BlameLedger holder_ledger_;
};

inline void Accounts::Apply(Member& member, const CountedFact& note, std::span<const Held> held) {
  ApplyTimes(*member.at, member.group, note);
  ApplyHolders(*member.at, member.group, note.unconserved_ns, note.parts, held);
}

inline void Accounts::ApplyTimes(Group& group, uint32_t number, const CountedFact& note) {
  if (note.share != facts::Share::kAbsent) {
    group.share_ns[static_cast<size_t>(note.share)] += note.length();
  }
  if (note.share == facts::Share::kUnknown) [[unlikely]] {
    group.unknown_ns[static_cast<size_t>(note.unknown)] += note.length();
  }
  if (note.limit != facts::kNoLimit) [[unlikely]] {
    AddLimit(group, note);
  }
  if (note.object != CountedFact::kNoObject) [[unlikely]] {
    CountObject(number, note);
  }
  if (note.call != CountedFact::kNoCall) return CountCall(number, note);
  const bool is_whole_sleep = note.woken && note.has_duration &&
                              note.duration == Duration::kSleep && note.extent == Extent::kWhole;
  if (note.has_duration && !is_whole_sleep) {
    Distribution& times = group.of(note.duration);
    if (note.extent == Extent::kWhole) [[likely]] {
      times.AddWhole({note.begin, note.length(), note.thread, note.cpu});
    } else {
      AddLength(times, note);
    }
  }
  group.switches_voluntary += note.voluntary;
  group.switches_involuntary += note.involuntary;
  group.migrations += note.migrated;
  group.forked_processes += note.forked_process;
  group.forked_threads += note.forked_thread;
  if (note.after_blocked) group.after_blocked_ns += note.length();
  group.wakeups += note.woken;
  if (is_whole_sleep) {
    CountSleep(group, number, {note.begin, note.length(), note.thread, note.cpu}, note.other,
               note.whom, note.waits_for);
  } else if (note.woken) {
    Blame blame{.count = 1};
    if (note.extent == Extent::kWhole && note.has_duration) {
      blame.ns = note.length();
      if (note.duration == Duration::kBlocked) {
        blame.blocked = 1;
        blame.blocked_ns = blame.ns;
      }
    }
    ledger_.Add(number, Attribution::kWokenBy, note.other, blame);
  } else if (note.has_duration && note.duration == Duration::kPreemptedWait &&
             note.extent == Extent::kWhole) {
    ledger_.Add(number, Attribution::kPreemptedBy, note.other, {.count = 1, .ns = note.length()});
  }
}

inline void Accounts::ApplyHolders(Group& group, uint32_t number, uint64_t unconserved_ns,
                                   const facts::RunnableParts& parts, std::span<const Held> held) {
  group.unconserved_ns += unconserved_ns;
  if ((parts.affinity | parts.weight | parts.rt_throttled) != 0) [[unlikely]] {
    group.affinity_ns += parts.affinity;
    group.weight_ns += parts.weight;
    group.rt_throttled_ns += parts.rt_throttled;
  }
  for (const Held& part : held) {
    const Blame blame{.count = 1, .ns = part.ns};
    holder_ledger_.Add(number, Attribution::kHeldCpu, part.group, blame);
    if (!part.lower) continue;
    holder_ledger_.Add(number, Attribution::kHeldCpuLower, part.group, blame);
    group.inversion_ns += part.ns;
  }
}

}  // namespace measure
