// SPDX-License-Identifier: BSD-2-Clause
#include "unit/compare/simulated_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace comparison::testing {

using facts::Share;
using measure::Duration;

double Simulator::Vary(double value, double noise) {
  return value * std::exp(std::normal_distribution<double>(0, noise)(random_));
}

uint64_t Simulator::Count(double expected) {
  return expected <= 0 ? 0 : std::poisson_distribution<uint64_t>(expected)(random_);
}

measure::Capture Simulator::Make(const std::vector<Work>& groups, double seconds) {
  measure::Capture capture;
  capture.file = fmt::format("{:03}.fxt", files_++);
  capture.kernel = "6.1.0";
  capture.host = "test";
  capture.categories = "default";
  capture.cpus = 2;
  capture.start_time = clock_;
  clock_ += seconds + 1;
  capture.begin = 1'000'000'000;
  capture.end = capture.begin + static_cast<uint64_t>(seconds * 1e9);
  capture.by_cpu.resize(2);
  const auto length = static_cast<double>(capture.length());
  for (const Work& work : groups) {
    measure::Group group;
    group.name = {work.process, work.thread, work.of_command};
    group.threads = static_cast<uint64_t>(work.threads);
    const auto share = [&](Share which) -> uint64_t& {
      return group.share_ns[static_cast<size_t>(which)];
    };
    const auto draw = [&](Duration kind, uint64_t count, double mean_ns) {
      // Lengths spread over some octaves, and half of them below the mean.
      std::lognormal_distribution<double> lengths(std::log(mean_ns) - 0.5, 1.0);
      auto& times = group.of(kind);
      for (uint64_t i = 0; i < count; ++i) {
        const auto ns = static_cast<uint64_t>(std::min(lengths(random_), length / 2));
        times.whole.Add(ns);
        times.whole_ns += ns;
        times.longest_ns = std::max(times.longest_ns, ns);
        times.Keep({capture.begin + i, ns, 100, 0});
      }
      return times.whole_ns;
    };
    group.wakeups = Count(Vary(work.wakeups, work.noise) * seconds);
    group.switches_voluntary = group.wakeups;
    group.switches_involuntary = group.wakeups / 10;
    group.migrations = Count(Vary(work.migrations, 3 * work.noise) * seconds);
    group.forked_processes = Count(work.forks * seconds);
    share(Share::kRunning) = static_cast<uint64_t>(Vary(work.cpu_ms, work.noise) * 1e6 * seconds);
    if (group.wakeups > 0) {
      draw(Duration::kSlice, group.wakeups,
           static_cast<double>(share(Share::kRunning)) / static_cast<double>(group.wakeups));
    }
    share(Share::kRunnableWakeup) =
        draw(Duration::kWakeupLatency, group.wakeups, Vary(work.latency_us, 3 * work.noise) * 1e3);
    const uint64_t preempted = std::max<uint64_t>(1, group.switches_involuntary);
    if (work.preempted_ms > 0) {
      share(Share::kRunnablePreempted) = draw(
          Duration::kPreemptedWait, preempted,
          Vary(work.preempted_ms, 3 * work.noise) * 1e6 * seconds / static_cast<double>(preempted));
    }
    draw(Duration::kSleep, group.wakeups, Vary(work.sleep_us, work.noise) * 1e3);
    share(Share::kSleeping) =
        draw(Duration::kSleep, Count(work.long_sleeps * seconds), work.long_sleep_ms * 1e6);
    share(Share::kBlocked) = draw(Duration::kBlocked, Count(work.blocked * seconds),
                                  Vary(work.blocked_us, 3 * work.noise) * 1e3);
    if (work.answers > 0) {
      draw(Duration::kForAnswer, Count(Vary(work.answers, work.noise) * seconds),
           Vary(work.answer_us, 2 * work.noise) * 1e3);
    }
    capture.groups.push_back(std::move(group));
  }
  std::sort(capture.groups.begin(), capture.groups.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return capture;
}

std::vector<measure::Capture> Simulator::Some(const std::vector<Work>& groups, size_t count,
                                              double seconds) {
  std::vector<measure::Capture> captures;
  for (size_t i = 0; i < count; ++i) captures.push_back(Make(groups, seconds));
  return captures;
}

DiffInput Simulator::Sides(const std::vector<Work>& base, const std::vector<Work>& next,
                           size_t count, bool turns) {
  DiffInput input;
  if (!turns) {
    input.base = Some(base, count);
    input.next = Some(next, count);
    return input;
  }
  for (size_t i = 0; i < count; ++i) {
    input.base.push_back(Make(base));
    input.next.push_back(Make(next));
  }
  return input;
}

const ComparisonRow* At(const DiffReport& report, size_t rank) {
  const auto& ranked = report.confirmed ? report.findings : report.unconfirmed;
  return rank <= ranked.size() ? &report.rows[ranked[rank - 1]] : nullptr;
}

const ComparisonRow* Find(const DiffReport& report, const std::string& thread, Metric metric) {
  for (const ComparisonRow& row : report.rows) {
    if (row.group && report.groups[*row.group].name.thread == thread && row.metric == metric) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace comparison::testing
