// SPDX-License-Identifier: BSD-2-Clause
#include "capture/counters/counter_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fxt_record/event.h"
#include "perf/live/perf_syscalls.h"
#include "perf/live/pmu.h"
#include "perf/record/perf_abi.h"
#include "util/nearest.h"

namespace capture {
namespace {

struct KnownCounter {
  std::string_view name;
  uint32_t type;
  uint64_t config;
};

constexpr uint64_t Cache(uint64_t cache, uint64_t operation, uint64_t result) {
  return cache | operation << 8 | result << 16;
}

constexpr KnownCounter kKnown[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE,
     Cache(PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"LLC-loads", PERF_TYPE_HW_CACHE,
     Cache(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS)},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE,
     Cache(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE,
     Cache(PERF_COUNT_HW_CACHE_DTLB, PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS)},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
};

const KnownCounter* Find(std::string_view name) {
  const auto found = std::ranges::find(kKnown, name, &KnownCounter::name);
  return found == std::end(kKnown) ? nullptr : found;
}

perf_event_attr MakeAttr(const KnownCounter& counter) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof(attr));
  attr.size = sizeof(attr);
  attr.type = counter.type;
  attr.config = counter.config;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return attr;
}

util::Error Explain(const KnownCounter& counter, int error, const perf::PmuSurvey& survey) {
  if (error == EPERM || error == EACCES) {
    return {fmt::format("counter {}: not permitted to count on the whole system", counter.name),
            "run as root or with CAP_PERFMON; in a container the seccomp profile must allow "
            "perf_event_open"};
  }
  if (error == EMFILE) {
    return {fmt::format("counter {}: too many open files, as each counter takes one per CPU",
                        counter.name),
            "raise the limit with `ulimit -n`"};
  }
  constexpr const char* kSoftware =
      "the software ones are there: task-clock, page-faults, context-switches, cpu-migrations";
  if (counter.type != PERF_TYPE_SOFTWARE && survey.pmus.empty()) {
    return {
        fmt::format("counter {}: this machine has no performance monitoring unit{}", counter.name,
                    survey.virtual_machine ? " (it is a virtual machine that was given none)" : ""),
        kSoftware};
  }
  if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV) {
    return {fmt::format("counter {}: this CPU does not count it", counter.name), kSoftware};
  }
  return {fmt::format("counter {}: perf_event_open: {}", counter.name, strerror(error)), ""};
}

}  // namespace

std::vector<std::string> CounterSet::KnownNames() {
  std::vector<std::string> names;
  for (const KnownCounter& each : kKnown) names.emplace_back(each.name);
  return names;
}

util::Result<std::vector<std::string>> CounterSet::ParseNames(std::string_view list) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t comma = std::min(list.find(',', begin), list.size());
    const std::string name(list.substr(begin, comma - begin));
    begin = comma + 1;
    if (Find(name) == nullptr) {
      const std::vector<std::string> known = KnownNames();
      return util::Error{fmt::format("there is no counter '{}'", name),
                         fmt::format("{}the counters are: {}", util::Suggestion(name, known),
                                     fmt::join(known, ", "))};
    }
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (names.size() > FXR_MAX_COUNTERS) {
    return util::Error{fmt::format("{} counters are asked for; {} can be read at once",
                                   names.size(), FXR_MAX_COUNTERS),
                       ""};
  }
  return names;
}

util::Result<CounterSet> CounterSet::Open(const std::vector<std::string>& names) {
  return Open(names, perf::RunningKernel(), "");
}

util::Result<CounterSet> CounterSet::Open(const std::vector<std::string>& names,
                                          perf::PerfSyscalls& kernel, const std::string& root) {
  CounterSet set;
  if (names.empty()) return set;
  set.names_ = names;
  const perf::PmuSurvey survey = perf::SurveyPmus(root);
  for (uint32_t i = 0; i < names.size(); ++i) {
    const KnownCounter* counter = Find(names[i]);
    if (counter == nullptr) return util::Error{fmt::format("no counter {}", names[i]), ""};
    const size_t before = set.events_.size();
    for (const unsigned cpu : survey.online_cpus) {
      perf::OpenedEvent event = kernel.Open(MakeAttr(*counter), static_cast<int>(cpu));
      if (event.fd) {
        set.events_.push_back({cpu, i, std::move(event.fd)});
      } else if (event.error != ENODEV || cpu == survey.online_cpus.back()) {
        // ENODEV: the CPU went offline since sysfs was read, or the machine has no PMU.
        if (event.error == ENODEV && set.events_.size() > before) continue;
        return Explain(*counter, event.error, survey);
      }
    }
  }
  return set;
}

std::string CounterSet::DescribeMultiplexing() const {
  struct Times {
    uint64_t enabled = 0;
    uint64_t running = 0;
  };
  std::vector<Times> times(names_.size());
  for (const Event& event : events_) {
    uint64_t values[3];  // count, ns enabled, ns running
    if (read(event.fd.get(), values, sizeof(values)) != static_cast<ssize_t>(sizeof(values))) {
      continue;
    }
    times[event.counter].enabled += values[1];
    times[event.counter].running += values[2];
  }
  std::vector<std::string> partial;
  for (size_t i = 0; i < names_.size(); ++i) {
    // The two times are not read atomically.
    if (times[i].running >= times[i].enabled - times[i].enabled / 1000) continue;
    partial.push_back(fmt::format("{} {}%", names_[i], times[i].running * 100 / times[i].enabled));
  }
  if (partial.empty()) return "";
  return fmt::format(
      "the CPU cannot count all of it at once; of the time it counted: {} (runs that it did not "
      "count whole have the argument 'partial')",
      fmt::join(partial, ", "));
}

}  // namespace capture
