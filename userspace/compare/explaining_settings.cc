// SPDX-License-Identifier: BSD-2-Clause
#include "compare/explaining_settings.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "measure/group_name.h"
#include "measure/settings.h"

namespace comparison {
namespace {

// Kinds of change that a setting acts on, as bits.
enum Kind : unsigned {
  kForCpu = 1,     // waits for a CPU
  kThrottle = 2,   // the quota of a cgroup
  kRealTime = 4,   // real-time throttling
  kInD = 8,        // waits in D
  kSleeping = 16,  // sleeps
  kRunning = 32,   // CPU time
  kMoving = 64,    // migrations
};

unsigned KindOf(Metric metric) {
  switch (metric) {
    case Metric::kWakeupLatency:
    case Metric::kPreemptedWait:
    case Metric::kAffinity:
    case Metric::kWeight:
    case Metric::kInversion:
    case Metric::kUnconserved:
      return kForCpu;
    case Metric::kThrottled:
      return kThrottle;
    case Metric::kRtThrottled:
      return kRealTime;
    case Metric::kBlocked:
      return kInD;
    case Metric::kSleep:
      return kSleeping;
    case Metric::kCpuTime:
    case Metric::kSlice:
    case Metric::kSyscallTime:
      return kRunning;
    case Metric::kMigrations:
      return kMoving;
    default:
      return 0;
  }
}

struct SettingEffect {
  std::string_view name;  // "*": any end
  unsigned kinds;
};
constexpr SettingEffect kEffects[] = {
    {"cpus_allowed", kForCpu | kMoving},
    {"cpuset.cpus", kForCpu | kMoving},
    {"cpu.online", kForCpu},
    {"cpu.isolated", kForCpu},
    {"nice", kForCpu},
    {"policy", kForCpu | kRealTime},
    {"rt_priority", kForCpu | kRealTime},
    {"cpu.weight", kForCpu},
    {"cpu.shares", kForCpu},
    {"cpu.idle", kForCpu},
    {"sched_runtime_ns", kForCpu},
    {"sched.*", kForCpu},
    {"kernel.sched_rt_*", kRealTime},
    {"kernel.sched_*", kForCpu},
    {"kernel.preemption", kForCpu},
    {"cpu.max", kThrottle},
    {"cpu.cfs_*", kThrottle},
    {"memory.*", kInD | kRunning},
    {"vm.*", kInD},
    {"thp.*", kInD | kRunning},
    {"io.*", kInD},
    {"blkio.*", kInD},
    {"scheduler", kInD},
    {"write_cache", kInD},
    {"nr_requests", kInD},
    {"read_ahead_kb", kInD},
    {"wbt_lat_usec", kInD},
    {"options", kInD},
    {"timerslack_ns", kSleeping},
    {"qdisc", kSleeping},
    {"mtu", kSleeping},
    {"net.*", kSleeping},
    {"cpu.governor", kRunning},
    {"cpu.min_frequency_khz", kRunning},
    {"cpu.max_frequency_khz", kRunning},
    {"cpu.boost", kRunning},
    {"cpu.no_turbo", kRunning},
    {"mitigation.*", kRunning},
    {schema::setting::kThreads, kForCpu | kSleeping | kRunning},
};

bool ActsOn(const SettingDifference& setting, unsigned kinds) {
  std::string_view name = setting.name;
  constexpr std::string_view kOfCgroup = "cgroup ";
  if (name.starts_with(kOfCgroup)) name.remove_prefix(kOfCgroup.size());
  name = name.substr(0, name.find(measure::kOfThread));
  return std::any_of(std::begin(kEffects), std::end(kEffects), [&](const SettingEffect& effect) {
    if ((effect.kinds & kinds) == 0) return false;
    if (!effect.name.ends_with('*')) return name == effect.name;
    return name.starts_with(effect.name.substr(0, effect.name.size() - 1));
  });
}

// Those of groups that have fewer threads to do the work of a run.
std::vector<size_t> FewerThreads(const DiffReport& report) {
  std::vector<size_t> found;
  for (size_t i = 0; i < report.settings.size(); ++i) {
    const SettingDifference& setting = report.settings[i];
    const std::string_view name = setting.name;
    if (name.substr(0, name.find(measure::kOfThread)) != schema::setting::kThreads) continue;
    if (std::stoull(*setting.next) < std::stoull(*setting.base)) found.push_back(i);
  }
  return found;
}

bool IsOfProcess(const SettingDifference& setting) { return schema::HasProcess(setting.scope); }

}  // namespace

bool ActsOnMetric(const SettingDifference& setting, Metric metric,
                  const measure::GroupName& group) {
  if (IsOfProcess(setting)) {
    if (setting.subject != group.process) return false;
    const size_t of_thread = setting.name.find(measure::kOfThread);
    if (of_thread != std::string::npos &&
        setting.name.substr(of_thread + measure::kOfThread.size()) != group.thread) {
      return false;
    }
  }
  return ActsOn(setting, KindOf(metric));
}

std::vector<size_t> ExplainingSettings(const DiffReport& report, const ComparisonRow& row) {
  if (row.metric == Metric::kElapsed) return FewerThreads(report);
  if (!row.group) return {};
  const unsigned kinds = KindOf(row.metric);
  // Settings are those of folded names.
  const auto process_of = [&](size_t group) {
    return measure::FoldDigits(report.groups[group].name.process);
  };
  const std::string own = process_of(*row.group);
  std::set<std::string> processes = {own};
  std::set<std::string> threads = {report.groups[*row.group].name.thread};
  if ((kinds & (kForCpu | kSleeping)) != 0) {
    for (const CauseLink& link : row.causes) {
      if (!link.group) continue;
      processes.insert(process_of(*link.group));
      threads.insert(report.groups[*link.group].name.thread);
    }
  }
  // How many threads there are of a kind that has no part in it explains nothing.
  const auto is_of_threads = [&](const SettingDifference& setting) {
    const std::string of = std::string(schema::setting::kThreads) + std::string(measure::kOfThread);
    return !setting.name.starts_with(of) || threads.contains(setting.name.substr(of.size()));
  };
  std::vector<size_t> found;
  for (size_t i = 0; i < report.settings.size(); ++i) {
    const SettingDifference& setting = report.settings[i];
    if (IsOfProcess(setting) && !processes.contains(setting.subject)) continue;
    if (ActsOn(setting, kinds) && is_of_threads(setting)) found.push_back(i);
  }
  // The group's own first.
  std::stable_sort(found.begin(), found.end(), [&](size_t a, size_t b) {
    const auto rank = [&](size_t i) {
      const SettingDifference& setting = report.settings[i];
      return IsOfProcess(setting) && setting.subject == own ? 0 : IsOfProcess(setting) ? 1 : 2;
    };
    return rank(a) < rank(b);
  });
  return found;
}

}  // namespace comparison
