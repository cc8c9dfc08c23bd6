// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/runnable_reasons.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "facts/scheduling.h"
#include "schema/koid.h"

namespace facts {
namespace {

constexpr uint32_t kUsualWeight = 1024;
// The kernel's weights of nice -20 to 19 (sched_prio_to_weight).
constexpr std::array<uint32_t, 40> kNiceWeights = {
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906,  3121,  2501,  1991,  1586,  1277,  1024,  820,   655,   526,   423,  335,  272,  215,
    172,   137,   110,   87,    70,    56,    45,    36,    29,    23,    18,   15};
constexpr uint32_t kIdlePolicyWeight = 3;
// CPUs of a mask; the format's numbers have 16 bits.
constexpr uint32_t kMaxCpus = 65536;

// "0-3,8"; empty if it is not of that form.
std::vector<uint64_t> CpusOf(std::string_view list) {
  std::vector<uint64_t> bits;
  const char* at = list.data();
  const char* const end = at + list.size();
  while (at < end) {
    uint32_t first = 0;
    auto parsed = std::from_chars(at, end, first);
    if (parsed.ec != std::errc()) return {};
    uint32_t last = first;
    if (parsed.ptr < end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
      if (parsed.ec != std::errc()) return {};
    }
    if (last < first || last >= kMaxCpus) return {};
    if (last / 64 >= bits.size()) bits.resize(last / 64 + 1);
    for (uint32_t cpu = first; cpu <= last; ++cpu) bits[cpu / 64] |= uint64_t{1} << cpu % 64;
    if (parsed.ptr < end && *parsed.ptr != ',') return {};
    at = parsed.ptr + 1;
  }
  return bits;
}

bool HasAll(const std::vector<uint64_t>& bits, const std::vector<uint64_t>& of) {
  for (size_t i = 0; i < of.size(); ++i) {
    if ((of[i] & ~(i < bits.size() ? bits[i] : 0)) != 0) return false;
  }
  return true;
}

uint64_t NumberIn(const std::string& text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Of the groups of a process ("a;b") the one that weighs its threads: "cpu:PATH" or
// "cpu,cpuacct:PATH" of version 1, or else that of version 2.
std::string WeighingGroup(const std::string& groups) {
  std::string unified;
  std::istringstream list(groups);
  for (std::string group; std::getline(list, group, ';');) {
    if (group.starts_with('/')) {
      unified = group;
      continue;
    }
    std::istringstream controllers(group.substr(0, group.find(':')));
    for (std::string name; std::getline(controllers, name, ',');) {
      if (name == "cpu") return group;
    }
  }
  return unified;
}

bool IsRoot(std::string_view path) { return path == "/" || path.ends_with(":/"); }

// "/a/b" of "/a/b/c", "cpu:/" of "cpu:/a".
std::string Above(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return "/";
  return path.substr(0, slash == 0 || path[slash - 1] == ':' ? slash + 1 : slash);
}

}  // namespace

void RunnableReasons::Mask::OnIdle(uint32_t cpu, bool idle, uint64_t time) {
  uint32_t& count = Has(cpu) ? idle_inside : idle_outside;
  count += idle ? 1 : UINT32_MAX;
  const bool now = idle_inside == 0 && idle_outside != 0;
  if (now == holds) return;
  if (holds && time > since) {
    sum += time - since;
    held[ended++ % held.size()] = {since, time};
  }
  holds = now;
  since = std::max(since, time);
}

uint64_t RunnableReasons::Mask::HeldBetween(uint64_t begin, uint64_t end) const {
  uint64_t length = 0;
  const auto add = [&](uint64_t from, uint64_t to) {
    from = std::max(from, begin);
    to = std::min(to, end);
    if (to > from) length += to - from;
  };
  if (holds) add(since, end);
  const size_t kept = std::min<uint64_t>(ended, held.size());
  for (size_t i = 1; i <= kept; ++i) {
    const auto& [from, to] = held[(ended - i) % held.size()];
    if (to <= begin) break;
    add(from, to);
  }
  return length;
}

uint8_t RunnableReasons::MaskOf(const std::string& list) {
  std::vector<uint64_t> bits = CpusOf(list);
  if (bits.empty() || (!online_.empty() && HasAll(bits, online_))) return kNoMask;
  for (size_t i = 0; i < masks_.size(); ++i) {
    if (masks_[i].bits == bits) return static_cast<uint8_t>(i);
  }
  if (masks_.size() >= kMaxMasks) return kNoMask;
  Mask& mask = masks_.emplace_back();
  mask.bits = std::move(bits);
  mask.since = latest_;
  for (uint32_t cpu = 0; cpu < is_idle_.size(); ++cpu) {
    if (is_idle_[cpu] != 0) mask.OnIdle(cpu, true, latest_);
  }
  return static_cast<uint8_t>(masks_.size() - 1);
}

uint16_t RunnableReasons::CgroupAt(const std::string& path) {
  if (const auto found = cgroup_numbers_.find(path); found != cgroup_numbers_.end()) {
    return found->second;
  }
  if (cgroups_.size() >= kMaxCgroups) return 0;
  Cgroup group;
  if (!IsRoot(path)) {
    const uint16_t above = CgroupAt(Above(path));
    if (above == 0 || cgroups_.size() >= kMaxCgroups) return 0;
    group.above = cgroups_[above].above;
    group.above.push_back(static_cast<uint16_t>(cgroups_.size()));
  } else {
    group.known = true;  // it has no weight
  }
  cgroups_.push_back(std::move(group));
  const auto number = static_cast<uint16_t>(cgroups_.size() - 1);
  cgroup_numbers_.emplace(path, number);
  return number;
}

uint16_t RunnableReasons::CgroupOfProcess(fxt::Koid process, const std::string& groups) {
  const std::string path = WeighingGroup(groups);
  const uint16_t group = path.empty() ? 0 : CgroupAt(path);
  if (group == 0 || !autogroups_) return group;
  const std::string own = path + "|" + std::to_string(process);
  if (const auto found = cgroup_numbers_.find(own); found != cgroup_numbers_.end()) {
    return found->second;
  }
  if (cgroups_.size() >= kMaxCgroups) return 0;
  Cgroup copy = cgroups_[group];
  cgroups_.push_back(std::move(copy));
  const auto number = static_cast<uint16_t>(cgroups_.size() - 1);
  cgroup_numbers_.emplace(own, number);
  return number;
}

bool RunnableReasons::IsHeavier(uint16_t cgroup, int32_t priority, uint16_t than_cgroup,
                                int32_t than_priority) const {
  if (priority < OpenWait::kFair || than_priority < OpenWait::kFair) return false;
  const Cgroup& one = cgroups_[cgroup];
  const Cgroup& other = cgroups_[than_cgroup];
  // Outside of groups that weigh the kernel makes groups of sessions, and which ones is not known.
  const auto weighs = [&](uint16_t group) { return cgroups_[group].weight != 0; };
  if (autogroups_ && (std::none_of(one.above.begin(), one.above.end(), weighs) ||
                      std::none_of(other.above.begin(), other.above.end(), weighs))) {
    return false;
  }
  // The groups that weigh, outermost first: those in which both are do not matter.
  size_t at = 0;
  while (at < one.above.size() && at < other.above.size() && one.above[at] == other.above[at]) {
    if (!cgroups_[one.above[at]].known) return false;
    ++at;
  }
  const auto weight_of = [&](const Cgroup& group, int32_t nice) -> std::optional<uint32_t> {
    for (size_t i = at; i < group.above.size(); ++i) {
      const Cgroup& outer = cgroups_[group.above[i]];
      if (!outer.known) return std::nullopt;
      if (outer.weight != 0) return outer.weight;
    }
    const auto step = static_cast<size_t>(nice - OpenWait::kFair);
    return step < kNiceWeights.size() ? kNiceWeights[step] : kIdlePolicyWeight;
  };
  const auto weight = weight_of(one, priority);
  const auto than = weight_of(other, than_priority);
  return weight && than && *weight > *than;
}

void RunnableReasons::Move(ThreadIndex index, fxt::Koid koid, fxt::Koid process) {
  Thread& thread = threads_[index];
  if (thread.process != 0) {
    if (const auto found = processes_.find(thread.process); found != processes_.end()) {
      std::erase(found->second.threads, index);
    }
  }
  thread.koid = koid;
  thread.process = process;
  if (processes_.contains(process) || processes_.size() < kMaxProcesses) {
    processes_[process].threads.push_back(index);
  }
  Resolve(index, latest_);
}

void RunnableReasons::Drop(fxt::Koid koid) {
  std::erase_if(own_, [tid = schema::TidOfKoid(koid)](const auto& entry) {
    return entry.first.second == tid;
  });
}

void RunnableReasons::Resolve(ThreadIndex index, uint64_t time) {
  Thread& thread = threads_[index];
  thread.cgroup = 0;
  Scheduling scheduling;
  if (const auto process = processes_.find(thread.process); process != processes_.end()) {
    scheduling = process->second.scheduling;
    thread.cgroup = process->second.cgroup;
  }
  const auto own = own_.find({thread.process, schema::TidOfKoid(thread.koid)});
  if (own != own_.end()) scheduling = own->second;
  thread.idle_policy = scheduling.idle_policy;
  if (thread.mask == scheduling.mask) return;
  thread.mask = scheduling.mask;
  if (thread.mask != kNoMask) thread.clock = masks_[thread.mask].Clock(time);
}

void RunnableReasons::Apply(Scheduling& to, std::string_view name, const std::string& value) {
  if (name == schema::setting::kAffinity) {
    to.mask = MaskOf(value);
  } else if (name == schema::setting::kPolicy) {
    to.idle_policy = value == "idle";
  }
}

void RunnableReasons::AddProcess(const SettingsEvent& event, uint64_t time) {
  const fxt::Koid koid = *event.process;
  if (!processes_.contains(koid) && processes_.size() >= kMaxProcesses) return;
  Process& process = processes_[koid];
  const auto erase_own = [&] {
    own_.erase(own_.lower_bound({koid, 0}), own_.upper_bound({koid, UINT32_MAX}));
  };
  if (!event.values.empty() && event.values.front().name.text == schema::setting::kExecutable) {
    process.scheduling = {};
    erase_own();
  }
  // Those of the process go first: threads differ from them.
  for (const bool of_threads : {false, true}) {
    for (const fxt::Argument& argument : event.values) {
      const auto own = schema::AsThreadSetting(argument.name.text);
      if (own.has_value() != of_threads) continue;
      const std::string value = SettingText(argument.value);
      if (own) {
        if (own_.size() >= kMaxProcesses) return;
        const auto [entry, fresh] = own_.try_emplace({koid, own->tid}, process.scheduling);
        Apply(entry->second, own->name, value);
      } else if (argument.name.text == schema::setting::kCgroup) {
        process.cgroup = CgroupOfProcess(koid, value);
      } else {
        Apply(process.scheduling, argument.name.text, value);
      }
    }
  }
  for (const ThreadIndex thread : process.threads) Resolve(thread, time);
}

void RunnableReasons::AddCgroup(const SettingsEvent& event) {
  const uint16_t number = CgroupAt(std::string(event.subject));
  if (number == 0) return;
  Cgroup& group = cgroups_[number];
  group.known = true;
  for (const fxt::Argument& argument : event.values) {
    const std::string value = SettingText(argument.value);
    if (argument.name.text == "cpu.weight") {
      group.weight = static_cast<uint32_t>(
          std::min<uint64_t>(NumberIn(value), UINT32_MAX / kUsualWeight) * kUsualWeight / 100);
    } else if (argument.name.text == "cpu.shares") {
      group.weight = static_cast<uint32_t>(std::min<uint64_t>(NumberIn(value), UINT32_MAX));
    } else if (argument.name.text == "cpu.idle" && NumberIn(value) != 0) {
      group.weight = kIdlePolicyWeight;
    }
  }
}

void RunnableReasons::AddSettings(const SettingsEvent& event, uint64_t time) {
  latest_ = std::max(latest_, time);
  switch (event.scope) {
    case schema::SettingScope::kSystem:
      for (const fxt::Argument& argument : event.values) {
        const std::string_view name = argument.name.text;
        const std::string value = SettingText(argument.value);
        if (name == "kernel.sched_rt_runtime_us") {
          rt_is_limited_ = value != "-1";
        } else if (name == "kernel.sched_autogroup_enabled") {
          autogroups_ = value != "0";
        } else if (name == "kernel.release") {
          // All of the kernel's settings come with it; a kernel without autogroups has none to say.
          autogroups_ = false;
        } else if (name == "cpu.online") {
          online_ = CpusOf(value);
        }
      }
      return;
    case schema::SettingScope::kCgroup:
      return AddCgroup(event);
    case schema::SettingScope::kProcess:
      return AddProcess(event, latest_);
    default:
      return;
  }
}

void RunnableReasons::OpenWait::AddHeavier(uint64_t begin, uint64_t end) {
  heavier_ += end - begin;
  if (thread_->mask != kNoMask) {
    heavier_outside_ += reasons_.masks_[thread_->mask].HeldBetween(begin, end);
  }
}

RunnableParts RunnableReasons::OpenWait::End(const WholeWait& wait) const {
  RunnableParts parts;
  uint64_t rest = wait.end - wait.begin;
  const auto take = [&](uint64_t length) {
    length = std::min(length, rest);
    rest -= length;
    return length;
  };
  if (wait.kind == WaitKind::kPreempted || lower_ >= kLatestArrival) {
    parts.rt_throttled = take(lower_);
  }
  if (thread_ != nullptr && thread_->mask != kNoMask) {
    const Mask& mask = reasons_.masks_[thread_->mask];
    // A thread that runs outside of its mask has got another one.
    if (mask.Has(wait.end_cpu)) {
      const uint64_t clock = mask.Clock(wait.end);
      parts.affinity = take(clock - std::min(clock, thread_->clock));
    }
  }
  parts.weight = take(heavier_ - std::min(heavier_, parts.affinity == 0 ? 0 : heavier_outside_));
  return parts;
}

}  // namespace facts
