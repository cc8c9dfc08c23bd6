// SPDX-License-Identifier: BSD-2-Clause
#include "measure/capture.h"

#include <algorithm>
#include <iterator>

namespace measure {
namespace {

void MergeGroup(Group& into, const Group& other, const std::vector<uint32_t>& number_of) {
  into.of_recorder = into.of_recorder || other.of_recorder;
  into.threads += other.threads;
  for (size_t i = 0; i < into.share_ns.size(); ++i) into.share_ns[i] += other.share_ns[i];
  for (size_t i = 0; i < into.unknown_ns.size(); ++i) into.unknown_ns[i] += other.unknown_ns[i];
  into.switches_voluntary += other.switches_voluntary;
  into.switches_involuntary += other.switches_involuntary;
  into.wakeups += other.wakeups;
  into.migrations += other.migrations;
  into.forked_processes += other.forked_processes;
  into.forked_threads += other.forked_threads;
  into.inversion_ns += other.inversion_ns;
  into.unconserved_ns += other.unconserved_ns;
  into.affinity_ns += other.affinity_ns;
  into.weight_ns += other.weight_ns;
  into.rt_throttled_ns += other.rt_throttled_ns;
  into.after_blocked_ns += other.after_blocked_ns;
  for (size_t i = 0; i < into.times.size(); ++i) into.times[i].Merge(other.times[i]);
  for (const auto& [name, times] : other.syscalls) into.syscalls[name].Merge(times);
  for (size_t why = 0; why < into.blames.size(); ++why) {
    for (const auto& [whom, blame] : other.blames[why]) {
      Blame& sum = into.blames[why][whom < number_of.size() ? number_of[whom] : whom];
      sum.count += blame.count;
      sum.ns += blame.ns;
      sum.blocked_ns += blame.blocked_ns;
      sum.blocked += blame.blocked;
    }
  }
  for (const auto& [object, blame] : other.waited_objects) {
    Blame& sum = into.waited_objects[object];
    sum.count += blame.count;
    sum.ns += blame.ns;
  }
  for (const auto& [limit, ns] : other.limits) into.limits[limit] += ns;
  std::vector<uint64_t> pids;
  std::set_union(into.pids.begin(), into.pids.end(), other.pids.begin(), other.pids.end(),
                 std::back_inserter(pids));
  if (pids.size() > Group::kPids) pids.resize(Group::kPids);
  into.pids = std::move(pids);
}

// The groups of both, in order of their names, without what is in them.
std::vector<Group> NamesOf(const std::vector<Group>& a, const std::vector<Group>& b) {
  std::vector<Group> all;
  auto at = b.begin();
  const auto take = [&](const Group& group) {
    all.emplace_back();
    all.back().name = group.name;
    all.back().exact_process = group.exact_process;
    all.back().exact_thread = group.exact_thread;
  };
  for (const Group& group : a) {
    for (; at != b.end() && at->name < group.name; ++at) take(*at);
    take(group);
    if (at != b.end() && at->name == group.name) {
      if (group.exact_process != at->exact_process) all.back().exact_process.clear();
      if (group.exact_thread != at->exact_thread) all.back().exact_thread.clear();
      ++at;
    }
  }
  for (; at != b.end(); ++at) take(*at);
  return all;
}

std::vector<uint32_t> NumbersIn(const std::vector<Group>& all, const std::vector<Group>& some) {
  std::vector<uint32_t> numbers;
  numbers.reserve(some.size());
  for (const Group& group : some) {
    const auto found = std::lower_bound(
        all.begin(), all.end(), group,
        [](const Group& left, const Group& right) { return left.name < right.name; });
    numbers.push_back(static_cast<uint32_t>(found - all.begin()));
  }
  return numbers;
}

}  // namespace

void Capture::Merge(const Capture& other) {
  const uint64_t other_length = other.length();
  const uint64_t own_length = length();
  cpus = std::max(cpus, other.cpus);
  end += other_length;
  if (elapsed_ns && other.elapsed_ns) {
    *elapsed_ns += *other.elapsed_ns;
  } else {
    elapsed_ns.reset();
  }
  lost_events += other.lost_events;
  unseen_switches += other.unseen_switches;
  by_cpu.resize(std::max(by_cpu.size(), other.by_cpu.size()));
  for (size_t i = 0; i < other.by_cpu.size(); ++i) {
    by_cpu[i].busy_ns += other.by_cpu[i].busy_ns;
    by_cpu[i].idle_ns += other.by_cpu[i].idle_ns;
    by_cpu[i].unknown_ns += other.by_cpu[i].unknown_ns;
  }
  for (const auto& [name, times] : other.handlers) handlers[name].Merge(times);
  std::vector<Group> all = NamesOf(groups, other.groups);
  const std::vector<uint32_t> mine = NumbersIn(all, groups);
  const std::vector<uint32_t> theirs = NumbersIn(all, other.groups);
  // In the time of the other capture, no thread of this one was there.
  const auto absent = static_cast<size_t>(facts::Share::kAbsent);
  const auto add = [&](Group& sum, const Group& group, const std::vector<uint32_t>& numbers,
                       uint64_t elsewhere) {
    MergeGroup(sum, group, numbers);
    sum.share_ns[absent] += group.threads * elsewhere;
  };
  for (size_t i = 0; i < groups.size(); ++i) add(all[mine[i]], groups[i], mine, other_length);
  for (size_t i = 0; i < other.groups.size(); ++i) {
    add(all[theirs[i]], other.groups[i], theirs, own_length);
  }
  groups = std::move(all);
  for (const auto& [name, stats] : other.requests) requests[name].Merge(stats);
  requests_left_out += other.requests_left_out;
  MergeSettings(settings, other.settings);
}

}  // namespace measure
