// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/accounts.h"

#include <algorithm>
#include <functional>
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

// Puts all but the longest together.
void KeepLongest(std::map<WaitedObject, Blame>& objects) {
  if (objects.size() <= Group::kWaitedObjects) return;
  std::vector<uint64_t> lengths;
  for (const auto& [object, blame] : objects) lengths.push_back(blame.ns);
  // Some are left for the others, in D and not, by WaitsFor.
  const auto last = lengths.begin() + Group::kWaitedObjects - 2 * facts::kWaitsFor;
  std::nth_element(lengths.begin(), last, lengths.end(), std::greater<>());
  const uint64_t least = *last;
  std::map<WaitedObject, Blame> kept;
  for (const auto& [object, blame] : objects) {
    const bool is_long = blame.ns > least;
    Blame& sum = kept[is_long ? object
                              : WaitedObject{.blocked = object.blocked,
                                             .waits_for = object.waits_for,
                                             .kind = std::string(kOthers)}];
    sum.count += blame.count;
    sum.ns += blame.ns;
  }
  objects = std::move(kept);
}

}  // namespace

void Accounts::Place(Member& member, fxt::Koid koid, const std::optional<fxt::Koid>& process) {
  const bool is_new = !member.introduced;
  if (is_new || !tasks_.HasProcess(member.task)) {
    member.task = tasks_.Find(koid, process);
    member.refreshed = 0;
  }
  member.introduced = true;
  if (tasks_.HasProcess(member.task)) member.placed = tasks_.epoch();
  // It is there from before the capture, under the name of what runs it.
  if (is_new && tasks_.tree().command() == koid) Expect(member);
}

void Accounts::Expect(Member& member) {
  if (member.counted || member.newborn != Member::kNone || notes_ >= kMaxHeldFacts) return;
  if (free_newborns_.empty()) {
    member.newborn = static_cast<uint32_t>(newborns_.size());
    newborns_.emplace_back();
  } else {
    member.newborn = free_newborns_.back();
    free_newborns_.pop_back();
  }
  member.settled = 0;
}

bool Accounts::TrySettle(facts::ThreadIndex thread) {
  if (thread >= members_.size()) return false;
  Member& member = members_[thread];
  const uint64_t epoch = tasks_.epoch();
  if (!member.introduced || member.placed != epoch || member.newborn != Member::kNone) return false;
  GroupOf(member);
  if (!member.counted) return false;
  member.settled = epoch;
  return true;
}

void Accounts::LookUp(Member& member) {
  if (member.newborn == Member::kUntracked) return;
  member.refreshed = tasks_.epoch();
  const uint32_t version = tasks_.VersionOf(member.task);
  if (version == member.version) return;
  member.version = version;
  const uint32_t group = tasks_.GroupOf(member.task);
  if (group == member.group) return;
  if (member.counted) {
    member.counted = group == member.before[0] || group == member.before[1];
    member.before[1] = member.before[0];
    member.before[0] = member.group;
  }
  member.group = group;
  member.at = &tasks_.groups()[group];
}

void Accounts::CountIn(Member& member) {
  member.counted = true;
  ++member.at->threads;
  if (const auto process = tasks_.ProcessOf(member.task)) AddPid(*member.at, *process);
}

void Accounts::Settle(Member& member) {
  if (member.newborn == Member::kNone || member.newborn == Member::kUntracked) return;
  const uint32_t number = std::exchange(member.newborn, Member::kNone);
  Join(member);
  for (const KeptNote& kept : newborns_[number]) Apply(member, kept.note, kept.held);
  notes_ -= newborns_[number].size();
  newborns_[number] = {};
  free_newborns_.push_back(number);
}

void Accounts::KeepForLater(Member& member, CountedFact note, std::span<const Held> held) {
  if (member.newborn == Member::kUntracked) return;
  std::vector<KeptNote>& notes = newborns_[member.newborn];
  notes.push_back({note, {held.begin(), held.end()}});
  ++notes_;
  if (notes.size() >= kMaxFirstFacts || notes_ >= kMaxHeldFacts) Settle(member);
}

void Accounts::AddLimit(Group& group, const CountedFact& note) const {
  const facts::CpuLimit& limit = limits_[note.limit];
  const auto found = group.limits.find(limit);
  if (found != group.limits.end()) {
    found->second += note.length();
  } else if (group.limits.size() < Group::kLimits) {
    group.limits.emplace(limit, note.length());
  }
}

void Accounts::CountCall(uint32_t number, const CountedFact& note) {
  const uint64_t key = (uint64_t{number} << 32) | note.call;
  const auto found = syscalls_.find(key);
  if (found != syscalls_.end()) {
    AddLength(found->second, note);
  } else if (syscalls_.size() < kMaxCalls) {
    AddLength(syscalls_[key], note);
  } else {
    AddLength(syscalls_[(uint64_t{number} << 32) | CallNumber(kOthers)], note);
  }
}

uint32_t Accounts::ObjectNumber(const facts::WaitObject& object, bool blocked,
                                facts::WaitsFor waits_for) {
  WaitedObject waited = WaitedObjectOf(object, blocked, waits_for);
  if (object_numbers_.size() >= kMaxObjects && !object_numbers_.contains(waited)) {
    waited = {.blocked = blocked, .waits_for = waits_for, .kind = std::string(kOthers)};
  }
  const auto [at, added] =
      object_numbers_.try_emplace(std::move(waited), static_cast<uint32_t>(objects_.size()));
  if (added) objects_.push_back(&at->first);
  return at->second;
}

void Accounts::CountObject(uint32_t number, const CountedFact& note) {
  const uint64_t key = (uint64_t{number} << 32) | note.object;
  auto found = group_objects_.find(key);
  if (found == group_objects_.end()) {
    if (group_objects_.size() >= kMaxGroupObjects) return;
    found = group_objects_.emplace(key, Blame{}).first;
  }
  ++found->second.count;
  found->second.ns += note.length();
}

std::vector<Group> Accounts::Finish(uint64_t length) {
  for (Member& member : members_.values()) Settle(member);
  tasks_.SetExactNames();
  std::deque<Group>& groups = tasks_.groups();
  for (const auto& [key, times] : syscalls_) {
    groups[key >> 32].syscalls[calls_[static_cast<uint32_t>(key)]].Merge(times);
  }
  syscalls_.clear();
  for (const auto& [key, blame] : group_objects_) {
    groups[key >> 32].waited_objects[*objects_[static_cast<uint32_t>(key)]] = blame;
  }
  group_objects_.clear();
  for (Group& group : groups) KeepLongest(group.waited_objects);
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
    for (const Duration part : {Duration::kForAnswer, Duration::kForLock, Duration::kForWork}) {
      group.of(Duration::kSleep).Include(group.of(part));
    }
  }
  const auto add = [&](uint32_t group, Attribution why, uint32_t other, const Blame& blame) {
    if (number(group) == kNoGroup) return;
    const auto add_to = [&](Attribution attribution) {
      Blame& sum = sorted[number(group)].blames[static_cast<size_t>(attribution)][number(other)];
      sum.count += blame.count;
      sum.ns += blame.ns;
      sum.blocked_ns += blame.blocked_ns;
      sum.blocked += blame.blocked;
    };
    add_to(why);
    if (IsByWaker(why)) add_to(Attribution::kWokenBy);
  };
  ledger_.ForEach(add);
  holder_ledger_.ForEach(add);
  groups.clear();
  return sorted;
}

}  // namespace measure
