// SPDX-License-Identifier: BSD-2-Clause
// False discoveries and power over simulated captures. A few draws as a unit test; for the table in
// docs/diff-method.md `make diff-calibration` takes 1,000.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using testing::At;
using testing::Simulator;
using testing::Work;

int Draws() {
  const char* draws = std::getenv("FXT_DIFF_DRAWS");
  return draws != nullptr ? std::max(1, std::atoi(draws)) : 15;
}

// Six groups with the noise of usual programs. Some hardly run.
std::vector<Work> NoisyGroups(double noise) {
  std::vector<Work> groups(6);
  for (size_t g = 0; g < groups.size(); ++g) {
    groups[g].thread = std::string(1, static_cast<char>('a' + g));
    groups[g].noise = noise;
    groups[g].cpu_ms = g == 5 ? 3 : 40.0 * static_cast<double>(g + 1);
    groups[g].wakeups = g == 5 ? 20 : 150.0 * static_cast<double>(g + 1);
    groups[g].blocked = g == 4 ? 100 : 0;
    groups[g].answers = g % 2 == 0 ? 100 : 0;
  }
  return groups;
}

// The fraction of draws with a finding, and with group "c" at rank 1.
struct Rates {
  double any = 0;
  double first = 0;
};

Rates Simulate(double noise, size_t count, const std::function<void(Work&)>& change) {
  const int draws = Draws();
  // Every second draw. Each has its own seed.
  const auto half = [&](int begin) {
    Rates rates;
    for (int draw = begin; draw < draws; draw += 2) {
      Simulator simulator(static_cast<uint64_t>(draw) + 1);
      auto next = NoisyGroups(noise);
      change(next[2]);
      const auto report = Compare(simulator.Sides(NoisyGroups(noise), next, count));
      if (!report) {
        ADD_FAILURE() << report.error().message;
        return rates;
      }
      rates.any += !report->findings.empty();
      const ComparisonRow* first = At(*report, 1);
      rates.first += first != nullptr && report->groups[*first->group].name.thread == "c";
    }
    return rates;
  };
  auto others = std::async(std::launch::async, half, 1);
  Rates rates = half(0);
  const Rates more = others.get();
  rates.any = (rates.any + more.any) / draws;
  rates.first = (rates.first + more.first) / draws;
  return rates;
}

TEST(CalibrationTest, FalseDiscoveriesAndPower) {
  struct Case {
    const char* what;
    bool power;  // five captures a side with usual noise must show it
    std::function<void(Work&)> change;
  };
  const Case cases[] = {
      {"nothing", false, [](Work&) {}},
      {"CPU time +5%", false, [](Work& work) { work.cpu_ms *= 1.05; }},
      {"CPU time +30%", false, [](Work& work) { work.cpu_ms *= 1.3; }},
      {"CPU time +60%", false, [](Work& work) { work.cpu_ms *= 1.6; }},
      {"CPU time x2", true, [](Work& work) { work.cpu_ms *= 2; }},
      {"wakeup latency x4", false, [](Work& work) { work.latency_us *= 4; }},
      {"answers x2.5", true, [](Work& work) { work.answer_us *= 2.5; }},
      {"10 sleeps of 30 ms per second", true,
       [](Work& work) {
         work.long_sleeps = 10;
         work.long_sleep_ms = 30;
       }},
      {"blocked 100 times per second", true, [](Work& work) { work.blocked = 100; }},
  };
  const bool table = std::getenv("FXT_DIFF_DRAWS") != nullptr;
  if (table) fmt::print("| change | noise | captures a side | found | at rank 1 |\n");
  if (table) fmt::print("|---|--:|--:|--:|--:|\n");
  for (const Case& one : cases) {
    const bool none = std::string(one.what) == "nothing";
    for (const double noise : {0.05, 0.1, 0.3}) {
      for (const size_t count : {3U, 5U}) {
        if (!table && (count == 3 || noise != 0.1)) continue;
        const Rates rates = Simulate(noise, count, one.change);
        if (table) {
          fmt::print("| {} | {:.0f}% | {} | {:.1f}% | {:.1f}% |\n", one.what, 100 * noise, count,
                     100 * rates.any, 100 * rates.first);
        }
        // Of a few draws one may have a finding by chance.
        if (none) {
          EXPECT_LE(rates.any, std::max(kFalseDiscoveries, 1.0 / Draws())) << noise << count;
        }
        if (one.power && count == 5 && noise == 0.1) {
          EXPECT_GE(rates.first, 0.8) << one.what;
        }
      }
    }
  }
}

}  // namespace
}  // namespace comparison
