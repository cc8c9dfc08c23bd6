// SPDX-License-Identifier: BSD-2-Clause
#include "provider/clock_pairs.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "util/clock.h"

namespace provider {
namespace {

constexpr int kReadings = 5;

uint64_t ReadCounter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks = 0;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

#if defined(__x86_64__)
bool HasWord(const std::string& line, const std::string& word) {
  const std::string padded = ' ' + line + ' ';
  return padded.find(' ' + word + ' ') != std::string::npos;
}
#endif

}  // namespace

bool ClockPairs::CounterIsInvariant() {
#if defined(__aarch64__)
  return true;
#elif defined(__x86_64__)
  // The kernel removes an unstable counter from this list.
  std::string sources;
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  std::getline(file, sources);
  if (!HasWord(sources, "tsc")) return false;
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.starts_with("flags"))
      return HasWord(line, "constant_tsc") && HasWord(line, "nonstop_tsc");
  }
#endif
  return false;
}

void ClockPairs::Take(uint64_t ahead) {
  uint64_t least = UINT64_MAX;
  Pair best{};
  for (int i = 0; i < kReadings; ++i) {
    const uint64_t before = ReadCounter();
    const uint64_t ns = util::MonotonicNow();
    const uint64_t after = ReadCounter();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + least / 2, ns + ahead};
  }
  // Replaces the newest pair until it is kSpacing after the one before. Otherwise frequent calls
  // would fill the table, and the noise of readings would look like changes of the rate.
  constexpr uint64_t kSpacing = 20'000'000;
  const bool is_later =
      !pairs_.empty() && best.ticks > pairs_.back().ticks && best.ns > pairs_.back().ns;
  if (is_later && pairs_.size() > 2 && best.ns - pairs_[pairs_.size() - 2].ns < kSpacing) {
    pairs_.pop_back();
  }
  Add(best.ticks, best.ns);
}

void ClockPairs::Add(uint64_t ticks, uint64_t ns) {
  // On some machines the counter restarts after a suspend.
  if (!pairs_.empty() && ticks < pairs_.back().ticks) pairs_.clear();
  if (!pairs_.empty() && (ticks == pairs_.back().ticks || ns <= pairs_.back().ns)) return;
  if (pairs_.size() == kMaxPairs) pairs_.pop_front();
  pairs_.push_back({ticks, ns});
}

uint64_t ClockPairs::ToNanoseconds(uint64_t ticks) const {
  if (pairs_.size() < 2) return 0;
  // The first pair after `ticks`, between the second and the last one.
  auto right =
      std::upper_bound(pairs_.begin() + 1, pairs_.end() - 1, ticks,
                       [](uint64_t value, const Pair& pair) { return value < pair.ticks; });
  const Pair& left = *std::prev(right);
  const __int128 span = static_cast<__int128>(right->ticks - left.ticks);
  const __int128 distance = static_cast<__int128>(ticks) - static_cast<__int128>(left.ticks);
  const __int128 ns =
      static_cast<__int128>(left.ns) + distance * static_cast<__int128>(right->ns - left.ns) / span;
  if (ns < 0) return 0;
  return ns > static_cast<__int128>(UINT64_MAX) ? UINT64_MAX : static_cast<uint64_t>(ns);
}

}  // namespace provider
