// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/comparison.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

namespace truth {
namespace {

constexpr std::array<int64_t, 8> kHistogramBounds = {1'000,  2'000,  5'000,   10'000,
                                                     20'000, 50'000, 100'000, 1'000'000};

}  // namespace

void CpuComparison::Add(const CpuComparison& other) {
  reference += other.reference;
  matched += other.matched;
  missing += other.missing;
  extra += other.extra;
  late += other.late;
  wrong_state += other.wrong_state;
  wrong_priority += other.wrong_priority;
  wrong_name += other.wrong_name;
  reference_gaps += other.reference_gaps;
  recorded_gaps += other.recorded_gaps;
  unmarked_gaps += other.unmarked_gaps;
  declared_lost += other.declared_lost;
  blind_init += other.blind_init;
  blind_init_reference += other.blind_init_reference;
  blind_idle += other.blind_idle;
  blind_idle_reference += other.blind_idle_reference;
  blind_children += other.blind_children;
  blind_children_names += other.blind_children_names;
  pauses += other.pauses;
  takeovers += other.takeovers;
  offline += other.offline;
  renames_in_flight += other.renames_in_flight;
}

void Comparison::NoteDelta(int64_t delta_ns) {
  const bool first =
      std::accumulate(delta_histogram.begin(), delta_histogram.end(), uint64_t{0}) == 0;
  least_delta_ns = first ? delta_ns : std::min(least_delta_ns, delta_ns);
  most_delta_ns = first ? delta_ns : std::max(most_delta_ns, delta_ns);
  const auto bound =
      std::lower_bound(kHistogramBounds.begin(), kHistogramBounds.end(), std::abs(delta_ns));
  ++delta_histogram[static_cast<size_t>(bound - kHistogramBounds.begin())];
}

std::string Comparison::Describe(const CompareOptions& options) const {
  std::string text;
  const auto line = [&](const std::string& who, const CpuComparison& c) {
    text += fmt::format(
        "{:6} {:>9} switches, {} matched, {} missing, {} extra, {} late, wrong: {} states, {} "
        "priorities, {} names; gaps: {} in ftrace, {} recorded, {} unmarked; {} declared lost\n",
        who, c.reference, c.matched, c.missing, c.extra, c.late, c.wrong_state, c.wrong_priority,
        c.wrong_name, c.reference_gaps, c.recorded_gaps, c.unmarked_gaps, c.declared_lost);
    text += fmt::format(
        "       apart: {} out of PID 1 unseen ({} in ftrace), {} by its new children seen only "
        "here "
        "({} unnamed), {} out of idle seen only here ({} gaps in ftrace), {} task ids taken over, "
        "{} "
        "renames in flight, {} times offline, {} pauses of the machine\n",
        c.blind_init, c.blind_init_reference, c.blind_children, c.blind_children_names,
        c.blind_idle, c.blind_idle_reference, c.takeovers, c.renames_in_flight, c.offline,
        c.pauses);
  };
  for (size_t cpu = 0; cpu < cpus.size(); ++cpu) {
    if (cpus[cpu].reference + cpus[cpu].extra > 0) line(fmt::format("cpu{}", cpu), cpus[cpu]);
  }
  line("total", total);
  text += fmt::format("blind spots: {}\n", options.blind.Describe());
  text += fmt::format("recorded minus ftrace time: {} .. {} ns;", least_delta_ns, most_delta_ns);
  for (size_t i = 0; i < delta_histogram.size(); ++i) {
    if (delta_histogram[i] == 0) continue;
    text += i < kHistogramBounds.size()
                ? fmt::format(" {} within {} us,", delta_histogram[i], kHistogramBounds[i] / 1000)
                : fmt::format(" {} beyond,", delta_histogram[i]);
  }
  text.back() = '\n';
  text +=
      fmt::format("task ids used again: {}, confused: {}\n", reused_tids, confused_incarnations);
  for (const std::string& example : examples) text += example + "\n";
  text += exact() ? "identical\n" : "DIFFERENT\n";
  return text;
}

}  // namespace truth
