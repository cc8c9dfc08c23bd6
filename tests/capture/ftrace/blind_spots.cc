// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/blind_spots.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace truth {
namespace {

constexpr size_t kExamples = 8;

}  // namespace

bool IsExchange(const SwitchLog& reference, int32_t a, int32_t b, uint64_t time_ns) {
  return std::any_of(reference.takeovers.begin(), reference.takeovers.end(),
                     [&](const Takeover& takeover) {
                       return takeover.time_ns > time_ns &&
                              std::minmax({takeover.old_tid, takeover.tid}) == std::minmax({a, b});
                     });
}

bool IsInit(const std::vector<int32_t>& init_tids, int32_t tid) {
  return std::binary_search(init_tids.begin(), init_tids.end(), tid);
}

bool IsUnborn(const SwitchLog& reference, int32_t tid, uint64_t time_ns) {
  if (tid == 0 ||
      std::binary_search(reference.first_tids.begin(), reference.first_tids.end(), tid)) {
    return false;
  }
  const auto born = [&](const Birth& birth) {
    return birth.tid == tid && birth.time_ns <= time_ns;
  };
  const auto renamed = [&](const Rename& rename) {
    return rename.tid == tid && rename.time_ns <= time_ns;
  };
  return std::none_of(reference.births.begin(), reference.births.end(), born) &&
         std::none_of(reference.renames.begin(), reference.renames.end(), renamed);
}

std::string BlindSpots::Describe() const {
  std::string text;
  if (init) text = "switches out of PID 1 and the births of its children";
  for (const uint32_t cpu : idle_cpus) {
    text += fmt::format("{}idle of CPU {}", text.empty() ? "" : ", ", cpu);
  }
  return text.empty() ? "none" : text;
}

BlindSpots DetectBlindSpots(const SwitchLog& reference, const SwitchLog& recorded) {
  BlindSpots spots;
  for (size_t cpu = 0; cpu < reference.cpus.size(); ++cpu) {
    const Gaps gaps = FindGaps(reference.cpus[cpu], reference, {}, true, true);
    const bool sees_idle = std::any_of(reference.cpus[cpu].begin(), reference.cpus[cpu].end(),
                                       [](const Switch& s) { return s.prev_tid == 0; });
    if (gaps.idle > 0 && !sees_idle) spots.idle_cpus.insert(static_cast<uint32_t>(cpu));
  }
  uint64_t init_out = 0, init_gaps = 0;
  for (const SwitchLog* log : {&reference, &recorded}) {
    for (const std::vector<Switch>& cpu : log->cpus) {
      for (const Switch& s : cpu) init_out += IsInit(reference.init_tids, s.prev_tid);
      init_gaps += FindGaps(cpu, reference, {}, true, true).init;
    }
  }
  spots.init = init_gaps > 0 && init_out == 0;
  return spots;
}

util::Result<BlindSpots> ParseBlindSpots(const std::string& init, const std::string& idle,
                                         const SwitchLog& reference, const SwitchLog& recorded) {
  BlindSpots spots = DetectBlindSpots(reference, recorded);
  if (init == "yes" || init == "no") {
    spots.init = init == "yes";
  } else if (init != "auto") {
    return util::Error{fmt::format("--blind-init is auto, yes or no, not {}", init), ""};
  }
  if (idle == "auto") return spots;
  spots.idle_cpus.clear();
  if (idle == "none") return spots;
  const char* at = idle.data();
  const char* const end = at + idle.size();
  while (at < end) {
    uint32_t cpu = 0;
    const auto [next, error] = std::from_chars(at, end, cpu);
    if (error != std::errc() || (next != end && *next != ',')) {
      return util::Error{fmt::format("--blind-idle is auto, none or CPU numbers, not {}", idle),
                         ""};
    }
    spots.idle_cpus.insert(cpu);
    at = next == end ? end : next + 1;
  }
  return spots;
}

namespace {

// The threads migration/N with the highest priority stop a CPU. Tracepoints are silent on an
// offline CPU (include/linux/tracepoint.h), so no tracer sees its switch from there to idle.
std::set<int32_t> Stoppers(const SwitchLog& log) {
  std::set<int32_t> tids;
  for (const std::vector<Switch>& cpu : log.cpus) {
    for (const Switch& s : cpu) {
      if (log.names.Name(s.next_name).starts_with("migration/")) tids.insert(s.next_tid);
    }
  }
  return tids;
}

}  // namespace

Gaps FindGaps(std::span<const Switch> cpu, const SwitchLog& reference, const Window& window,
              bool init_is_blind, bool idle_is_blind) {
  Gaps gaps;
  std::optional<std::set<int32_t>> stoppers;
  for (size_t i = 1; i < cpu.size(); ++i) {
    const Switch& before = cpu[i - 1];
    const Switch& after = cpu[i];
    if (before.next_tid == after.prev_tid) continue;
    if (!window.Contains(before.time_ns) || !window.Contains(after.time_ns)) continue;
    if (init_is_blind && IsInit(reference.init_tids, before.next_tid)) {
      ++gaps.init;
    } else if (idle_is_blind && before.next_tid == 0) {
      ++gaps.idle;
    } else if (init_is_blind && IsUnborn(reference, before.next_tid, before.time_ns)) {
      ++gaps.unborn;
    } else if (IsExchange(reference, before.next_tid, after.prev_tid, before.time_ns)) {
      ++gaps.takeover;
    } else if (after.prev_tid == 0 && (stoppers ? *stoppers : stoppers.emplace(Stoppers(reference)))
                                          .contains(before.next_tid)) {
      ++gaps.offline;
    } else {
      ++gaps.unexplained;
      if (gaps.unexplained_times_ns.size() < kExamples) {
        gaps.unexplained_times_ns.push_back(after.time_ns);
      }
    }
  }
  return gaps;
}

}  // namespace truth
