// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/accounts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "schema/koid.h"

namespace measure {
namespace {

void AddPid(Group& group, fxt::Koid process) {
  const uint64_t pid = schema::TidOfKoid(process);
  const auto at = std::lower_bound(group.pids.begin(), group.pids.end(), pid);
  if (at != group.pids.end() && *at == pid) return;
  group.pids.insert(at, pid);
  if (group.pids.size() > Group::kPids) group.pids.pop_back();
}

}  // namespace

void Accounts::Introduce(facts::ThreadIndex thread, fxt::Koid koid,
                         std::optional<fxt::Koid> process) {
  if (thread == facts::kNoThread) return;
  Member& member = At(thread);
  if (member.introduced) {
    if (!process || tasks_.HasProcess(member.task)) return;
    tasks_.Find(koid, process);
    return;
  }
  member.introduced = true;
  member.task = tasks_.Find(koid, process);
  // It is there from before the capture, under the name of what runs it.
  if (tasks_.tree().command() == koid) NoteBirth(thread);
}

void Accounts::NoteBirth(facts::ThreadIndex thread) {
  Member& member = At(thread);
  if (member.counted || member.newborn != kNone || notes_ >= kMaxNotes) return;
  if (free_newborns_.empty()) {
    member.newborn = static_cast<uint32_t>(newborns_.size());
    newborns_.emplace_back();
  } else {
    member.newborn = free_newborns_.back();
    free_newborns_.pop_back();
  }
}

uint32_t Accounts::Refresh(Member& member) {
  const uint32_t version = tasks_.VersionOf(member.task);
  if (version == member.version) [[likely]] {
    return member.group;
  }
  member.version = version;
  const uint32_t group = tasks_.GroupOf(member.task);
  if (group == member.group) return group;
  if (member.counted) {
    member.counted = group == member.before[0] || group == member.before[1];
    member.before[1] = member.before[0];
    member.before[0] = member.group;
  }
  member.group = group;
  return group;
}

uint32_t Accounts::GroupOf(facts::ThreadIndex thread) {
  return thread == facts::kNoThread ? kNoGroup : Refresh(At(thread));
}

Group& Accounts::Join(Member& member) {
  Group& group = tasks_.groups()[Refresh(member)];
  if (!member.counted) {
    member.counted = true;
    ++group.threads;
    if (const auto process = tasks_.ProcessOf(member.task)) AddPid(group, *process);
  }
  return group;
}

void Accounts::Settle(Member& member) {
  if (member.newborn == kNone) return;
  const uint32_t number = std::exchange(member.newborn, kNone);
  Group& group = Join(member);
  for (const Note& note : newborns_[number]) Apply(member.group, group, note);
  notes_ -= newborns_[number].size();
  newborns_[number] = {};
  free_newborns_.push_back(number);
}

void Accounts::Add(facts::ThreadIndex thread, const Note& note) {
  if (thread == facts::kNoThread) return;
  Member& member = At(thread);
  if (member.newborn != kNone) [[unlikely]] {
    std::vector<Note>& notes = newborns_[member.newborn];
    notes.push_back(note);
    ++notes_;
    if (notes.size() >= kFirstNotes || notes_ >= kMaxNotes) Settle(member);
    return;
  }
  Group& group = Join(member);
  Apply(member.group, group, note);
}

void Accounts::NoteEnd(facts::ThreadIndex thread) {
  if (thread != facts::kNoThread) Settle(At(thread));
}

void Accounts::Count(const Pending& pending) {
  Distribution& times = *pending.times;
  const uint64_t length = pending.instance.length;
  times.whole.Add(length);
  times.whole_ns += length;
  times.longest_ns = std::max(times.longest_ns, length);
  times.Keep(pending.instance);
}

void Accounts::Queue(Distribution& times, const Note& note) {
  if (note.extent != Extent::kWhole) return AddLength(times, note);
  Pending& pending = pending_[queued_ % kPending];
  if (pending.times != nullptr) Count(pending);
  pending = {&times, {note.begin, note.length(), note.thread, note.cpu}};
  __builtin_prefetch(&times, 1);
  __builtin_prefetch(reinterpret_cast<const char*>(&times) + 64, 1);
  const Pending& halfway = pending_[(queued_ + kPending / 2) % kPending];
  if (halfway.times != nullptr) halfway.times->whole.Prefetch(halfway.instance.length);
  ++queued_;
}

void Accounts::Apply(uint32_t number, Group& group, const Note& note) {
  if (note.share != facts::Share::kAbsent) {
    group.share_ns[static_cast<size_t>(note.share)] += note.length();
  }
  if (note.call != Note::kNoCall) {
    const uint64_t key = (uint64_t{number} << 32) | note.call;
    const auto found = syscalls_.find(key);
    if (found != syscalls_.end()) {
      AddLength(found->second, note);
    } else if (syscalls_.size() < kMaxCalls) {
      AddLength(syscalls_[key], note);
    } else {
      AddLength(syscalls_[(uint64_t{number} << 32) | CallNumber(kOthers)], note);
    }
    return;
  }
  if (note.has_duration) Queue(group.of(note.duration), note);
  group.switches_voluntary += note.voluntary;
  group.switches_involuntary += note.involuntary;
  group.migrations += note.migrated;
  group.forked_processes += note.forked_process;
  group.forked_threads += note.forked_thread;
  group.unconserved_ns += note.unconserved_ns;
  if (note.after_blocked) group.after_blocked_ns += note.length();
  if (note.woken) {
    ++group.wakeups;
    Blame blame{.count = 1};
    if (note.extent == Extent::kWhole && note.has_duration) {
      blame.ns = note.length();
      if (note.duration == Duration::kBlocked) {
        blame.blocked = 1;
        blame.blocked_ns = blame.ns;
      }
    }
    ledger_.Add(number, Because::kWokenBy, note.other, blame);
  } else if (note.has_duration && note.duration == Duration::kPreemptedWait &&
             note.extent == Extent::kWhole) {
    ledger_.Add(number, Because::kPreemptedBy, note.other, {.count = 1, .ns = note.length()});
  }
  for (const Note::Held& held : note.held) {
    const Blame blame{.count = 1, .ns = held.ns};
    ledger_.Add(number, Because::kHeldCpu, held.group, blame);
    if (!held.lower) continue;
    ledger_.Add(number, Because::kHeldCpuLower, held.group, blame);
    group.inversion_ns += held.ns;
  }
}

std::vector<Group> Accounts::Finish(uint64_t length) {
  for (Member& member : members_) Settle(member);
  for (size_t i = 0; i < kPending; ++i) {
    Pending& pending = pending_[(queued_ + i) % kPending];
    if (pending.times != nullptr) Count(pending);
    pending.times = nullptr;
  }
  std::deque<Group>& groups = tasks_.groups();
  for (const auto& [key, times] : syscalls_) {
    groups[key >> 32].syscalls[calls_[static_cast<uint32_t>(key)]].Merge(times);
  }
  syscalls_.clear();
  // Groups that only names in passing made are none.
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < groups.size(); ++i) {
    if (groups[i].threads != 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](uint32_t a, uint32_t b) { return groups[a].name < groups[b].name; });
  std::vector<uint32_t> number_of(groups.size(), kNoGroup);
  for (uint32_t i = 0; i < order.size(); ++i) number_of[order[i]] = i;
  const auto number = [&](uint32_t group) {
    return group < number_of.size() ? number_of[group] : group;
  };
  std::vector<Group> sorted;
  sorted.reserve(order.size());
  for (const uint32_t i : order) {
    Group& group = sorted.emplace_back(std::move(groups[i]));
    constexpr auto kAbsent = static_cast<size_t>(facts::Share::kAbsent);
    const uint64_t known =
        std::accumulate(group.share_ns.begin(), group.share_ns.end(), uint64_t{0});
    const uint64_t all = group.threads * length;
    group.share_ns[kAbsent] = all > known ? all - known : 0;
  }
  ledger_.ForEach([&](uint32_t group, Because why, uint32_t other, const Blame& blame) {
    if (number(group) == kNoGroup) return;
    Blame& sum = sorted[number(group)].blames[static_cast<size_t>(why)][number(other)];
    sum.count += blame.count;
    sum.ns += blame.ns;
    sum.blocked_ns += blame.blocked_ns;
    sum.blocked += blame.blocked;
  });
  groups.clear();
  return sorted;
}

}  // namespace measure
