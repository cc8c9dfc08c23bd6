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
constexpr size_t kMaxPath = 4096;  // of a cgroup

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

// Returns, from the groups of a process ("a;b"), the one whose weight applies to its threads:
// "cpu:PATH" or "cpu,cpuacct:PATH" of version 1, otherwise that of version 2.
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

uint32_t WeightOfNice(int64_t nice) {
  return kNiceWeights[static_cast<size_t>(
      std::clamp<int64_t>(nice + 20, 0, kNiceWeights.size() - 1))];
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
  if (cgroups_.size() >= kMaxCgroups || path.size() > kMaxPath ||
      std::count(path.begin(), path.end(), '/') > kMaxCgroupDepth) {
    return 0;
  }
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

uint16_t RunnableReasons::CopyFor(fxt::Koid koid, const Process& process) {
  if (process.path == 0 || !autogroups_) return process.path;
  const auto& autogroup = process.autogroup;
  const std::string own =
      std::to_string(process.path) + "|" +
      (autogroup ? std::to_string(autogroup->number) + "|" + std::to_string(autogroup->weight)
                 : "process " + std::to_string(koid));
  if (const auto found = cgroup_numbers_.find(own); found != cgroup_numbers_.end()) {
    return found->second;
  }
  if (cgroups_.size() >= kMaxCgroups) return 0;
  Cgroup copy = cgroups_[process.path];
  copy.autogroup = autogroup;
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
  // Outside of groups that weigh the kernel makes groups of sessions.
  const auto has_autogroup = [&](const Cgroup& group) {
    return autogroups_ && std::none_of(group.above.begin(), group.above.end(),
                                       [&](uint16_t at) { return cgroups_[at].weight != 0; });
  };
  const bool of_session = has_autogroup(one);
  const bool other_of_session = has_autogroup(other);
  if ((of_session && !one.autogroup) || (other_of_session && !other.autogroup)) return false;
  const bool same_session =
      of_session && other_of_session && one.autogroup->number == other.autogroup->number;
  // The groups that weigh, outermost first: those in which both are do not matter.
  size_t at = 0;
  while (at < one.above.size() && at < other.above.size() && one.above[at] == other.above[at]) {
    if (!cgroups_[one.above[at]].known) return false;
    ++at;
  }
  const auto weight_of = [&](const Cgroup& group, bool is_of_session,
                             int32_t nice) -> std::optional<uint32_t> {
    for (size_t i = at; i < group.above.size(); ++i) {
      const Cgroup& outer = cgroups_[group.above[i]];
      if (!outer.known) return std::nullopt;
      if (outer.weight != 0) return outer.weight;
    }
    if (is_of_session && !same_session && group.autogroup->number != 0) {
      return group.autogroup->weight;
    }
    const auto step = static_cast<size_t>(nice - OpenWait::kFair);
    return step < kNiceWeights.size() ? kNiceWeights[step] : kIdlePolicyWeight;
  };
  const auto weight = weight_of(one, of_session, priority);
  const auto than = weight_of(other, other_of_session, than_priority);
  return weight && than && *weight > *than;
}

void RunnableReasons::Move(ThreadIndex index, fxt::Koid koid, fxt::Koid process) {
  threads_.At(index);
  Owner& owner = owners_.At(index);
  if (owner.process != 0) {
    if (const auto found = processes_.find(owner.process); found != processes_.end()) {
      if (!Spend(found->second.threads.size())) return;
      std::erase(found->second.threads, index);
    }
  }
  owner = {.koid = koid, .process = process};
  if (processes_.contains(process) || processes_.size() < kMaxProcesses) {
    processes_[process].threads.push_back(index);
  }
  Resolve(index, latest_);
}

void RunnableReasons::Drop(fxt::Koid koid) {
  const uint32_t tid = schema::TidOfKoid(koid);
  own_.erase(own_.lower_bound({tid, 0}), own_.upper_bound({tid, fxt::Koid(UINT64_MAX)}));
}

void RunnableReasons::DropOwn(fxt::Koid koid, Process& process) {
  for (const uint32_t tid : process.own_tids) own_.erase({tid, koid});
  process.own_tids.clear();
}

bool RunnableReasons::Spend(uint64_t work) {
  work_ += work;
  if (work_ <= kMaxWork) return true;
  for (size_t i = 0; i < threads_.size(); ++i) {
    threads_[static_cast<ThreadIndex>(i)].cgroup = 0;
    threads_[static_cast<ThreadIndex>(i)].mask = kNoMask;
  }
  processes_.clear();
  own_.clear();
  return false;
}

void RunnableReasons::Resolve(ThreadIndex index, uint64_t time) {
  Thread& thread = threads_[index];
  const Owner& owner = owners_[index];
  thread.cgroup = 0;
  Scheduling scheduling;
  if (const auto process = processes_.find(owner.process); process != processes_.end()) {
    scheduling = process->second.scheduling;
    thread.cgroup = process->second.cgroup;
  }
  const auto own = own_.find({schema::TidOfKoid(owner.koid), owner.process});
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

std::optional<RunnableReasons::Autogroup> RunnableReasons::AutogroupOf(std::string_view name,
                                                                       int64_t nice) {
  if (name == schema::setting::kNoAutogroup) return Autogroup();
  constexpr std::string_view kPrefix = "/autogroup-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  Autogroup autogroup{.number = 0, .weight = WeightOfNice(nice)};
  const auto parsed =
      std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), autogroup.number);
  if (parsed.ec != std::errc() || autogroup.number == 0) return std::nullopt;
  return autogroup;
}

void RunnableReasons::AddProcess(const SettingsEvent& event, uint64_t time) {
  const fxt::Koid koid = *event.process;
  if (work_ > kMaxWork) return;
  if (!processes_.contains(koid) && processes_.size() >= kMaxProcesses) return;
  Process& process = processes_[koid];
  if (!event.values.empty() && event.values.front().name.text == schema::setting::kExecutable) {
    process.scheduling = {};
    process.autogroup.reset();
    DropOwn(koid, process);
  }
  std::optional<std::string> autogroup;
  std::optional<int64_t> autogroup_nice;
  // Those of the process go first: threads differ from them.
  for (const bool of_threads : {false, true}) {
    for (const fxt::Argument& argument : event.values) {
      const auto own = schema::AsThreadSetting(argument.name.text);
      if (own.has_value() != of_threads) continue;
      const std::string value = SettingText(argument.value);
      if (own) {
        if (own_.size() >= kMaxProcesses) return;
        const auto [entry, fresh] = own_.try_emplace({own->tid, koid}, process.scheduling);
        if (fresh) process.own_tids.push_back(own->tid);
        Apply(entry->second, own->name, value);
      } else if (argument.name.text == schema::setting::kCgroup) {
        const std::string path = WeighingGroup(value);
        process.path = path.empty() ? 0 : CgroupAt(path);
      } else if (argument.name.text == schema::setting::kAutogroup) {
        autogroup = value;
      } else if (argument.name.text == schema::setting::kAutogroupNice) {
        std::from_chars(value.data(), value.data() + value.size(), autogroup_nice.emplace());
      } else {
        Apply(process.scheduling, argument.name.text, value);
      }
    }
  }
  if (autogroup) {
    process.autogroup = AutogroupOf(*autogroup, autogroup_nice.value_or(0));
  } else if (autogroup_nice && process.autogroup) {
    process.autogroup->weight = WeightOfNice(*autogroup_nice);
  }
  process.cgroup = CopyFor(koid, process);
  if (!Spend(process.threads.size())) return;
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

RunnableParts RunnableReasons::OpenWait::PartsOf(const WholeWait& wait) const {
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
