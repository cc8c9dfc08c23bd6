// SPDX-License-Identifier: BSD-2-Clause
// Simulated captures: groups with the activity that a test sets, and noise.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "measure/capture.h"

namespace comparison::testing {

// The activity of all threads of a group per second.
struct Work {
  std::string process = "app";
  std::string thread = "worker";
  bool of_command = false;
  double threads = 1;
  double cpu_ms = 100;
  double wakeups = 500;
  double latency_us = 40;     // of a wakeup, mean
  double preempted_ms = 5;    // with a tenth of the switches
  double sleep_us = 1000;     // of a sleep, mean; there is one for each wakeup
  double long_sleeps = 0;     // per second, besides
  double long_sleep_ms = 20;  // of one of these
  double blocked = 0;         // per second
  double blocked_us = 300;
  double answers = 0;  // per second, in the sleeps above
  double answer_us = 800;
  double forks = 0;
  double migrations = 5;
  double noise = 0.08;  // standard deviation of the logarithms, from capture to capture
};

class Simulator {
 public:
  explicit Simulator(uint64_t seed) : random_(seed) {}

  // A capture of `seconds` of these groups.
  measure::Capture Make(const std::vector<Work>& groups, double seconds = 3);
  // `count` captures, which began one after the other.
  std::vector<measure::Capture> Some(const std::vector<Work>& groups, size_t count,
                                     double seconds = 3);
  // Two sides of `count` captures in turns (ABAB), or one after the other.
  DiffInput Sides(const std::vector<Work>& base, const std::vector<Work>& next, size_t count,
                  bool turns = true);

 private:
  double Vary(double value, double noise);
  uint64_t Count(double expected);

  std::mt19937_64 random_;
  double clock_ = 1000;
  unsigned files_ = 0;
};

// The finding at a rank, from 1; null beyond the last.
const ComparisonRow* At(const DiffReport& report, size_t rank);
// The row of a group's metric; null if there is none.
const ComparisonRow* Find(const DiffReport& report, const std::string& thread, Metric metric);

}  // namespace comparison::testing
