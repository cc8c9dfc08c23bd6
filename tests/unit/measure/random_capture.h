// SPDX-License-Identifier: BSD-2-Clause
// Captures with something of everything.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "measure/capture.h"

namespace measure::testing {

inline void FillRandom(Distribution& times, std::mt19937_64& random) {
  for (uint64_t i = random() % 50; i != 0; --i) {
    const uint64_t length = random() >> (20 + random() % 44);
    times.whole.Add(length);
    times.whole_ns += length;
    times.longest_ns = std::max(times.longest_ns, length);
    times.Keep({random() >> 8, length, random() >> 32, static_cast<uint32_t>(random() % 9)});
  }
  if (random() % 3 == 0) {
    times.cut.Add(random() >> 30);
    times.cut_ns = random() >> 30;
  }
  if (random() % 3 == 0) {
    times.unknown = 1 + random() % 10;
    times.unknown_ns = random() >> 30;
  }
}

inline Capture RandomCapture(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto small = [&] { return random() >> 44; };
  Capture capture;
  capture.file = "f" + std::to_string(random());
  capture.recorder = "1.0";
  capture.kernel = std::string(random() % 300, 'k');
  capture.command = "sh -c\x01";
  if (random() % 2 == 0) capture.start_time = 1.5e9 + static_cast<double>(small());
  if (random() % 4 != 0) capture.elapsed_ns = small();
  capture.cpus = 1 + static_cast<uint32_t>(random() % 8);
  capture.begin = random() >> 2;
  capture.end = capture.begin + small();
  capture.lost_events = small();
  capture.by_cpu.resize(capture.cpus);
  for (Capture::Cpu& cpu : capture.by_cpu) cpu = {small(), small(), small()};
  FillRandom(capture.handlers["softirq RCU"], random);
  FillRandom(capture.handlers["irq # " + std::to_string(random() % 3)], random);
  const auto count = static_cast<uint32_t>(1 + random() % 8);
  for (uint32_t i = 0; i < count; ++i) {
    // In order, with names that several seeds have.
    Group& group = capture.groups.emplace_back();
    group.name = {.process = std::string(1, static_cast<char>('a' + i)),
                  .thread = std::to_string(random() % 3),
                  .of_command = random() % 2 == 0};
    group.of_recorder = i == 0;
    group.threads = small();
    for (uint64_t& share : group.share_ns) share = small();
    for (uint64_t& unknown : group.unknown_ns) unknown = small();
    if (small() % 2 == 0) group.exact_process = group.name.process + "1";
    if (small() % 2 == 0) group.exact_thread = group.name.thread + "2";
    group.switches_voluntary = small();
    group.wakeups = small();
    group.forked_threads = small();
    group.inversion_ns = small();
    group.after_blocked_ns = small();
    for (Distribution& times : group.times) FillRandom(times, random);
    if (random() % 2 == 0) FillRandom(group.syscalls["read"], random);
    if (random() % 2 == 0) FillRandom(group.syscalls["futex"], random);
    for (auto& blames : group.blames) {
      blames[static_cast<uint32_t>(random() % count)] = {1 + small(), small(), small(), small()};
      if (random() % 2 == 0) blames[kInterrupt] = {1 + small(), small(), 0, 0};
      if (random() % 2 == 0) blames[kNoGroup] = {1 + small(), small(), 0, 0};
    }
    for (uint64_t limit = random() % 3; limit > 0; --limit) {
      group.limits[{std::to_string(small()), small(), small()}] = small();
    }
    for (uint64_t pid = random() % 5; pid < 30 && group.pids.size() < 8; pid += 1 + random() % 9) {
      group.pids.push_back(pid);
    }
  }
  for (uint64_t i = random() % 4; i != 0; --i) {
    RequestStats& stats = capture.requests["request " + std::to_string(random() % 9)];
    FillRandom(stats.times, random);
    for (uint64_t p = random() % 6; p != 0; --p) {
      const PathPart part{.kind = static_cast<path::PartKind>(random() % path::kPartKinds),
                          .is_own = random() % 2 == 0,
                          .thread = std::string(random() % 3, 't'),
                          .waited_for = std::string(random() % 3, 'w'),
                          .object = std::to_string(random() % 5)};
      stats.parts[part] += small();
    }
  }
  capture.requests_left_out = random() % 3;
  for (uint64_t i = random() % 20; i != 0; --i) {
    const SettingKey key{static_cast<schema::SettingScope>(random() % schema::kSettingScopes),
                         random() % 2 == 0, std::string(random() % 3, 's'),
                         std::to_string(random() % 10)};
    for (uint64_t v = random() % 12; v != 0; --v) {
      capture.settings[key].Add(std::to_string(random() % 100));
    }
  }
  return capture;
}

}  // namespace measure::testing
