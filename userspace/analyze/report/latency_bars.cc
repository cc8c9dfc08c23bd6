// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/latency_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "analyze/report/text_columns.h"

namespace analyze {
namespace {

using measure::Duration;
using measure::Histogram;

constexpr size_t kWidth = 40;

}  // namespace

std::string LatencyBars(const measure::Capture& capture) {
  // By how many bits a length has: no bucket of a histogram reaches over a power of two.
  std::array<uint64_t, 65> counts{};
  for (const measure::Group& group : capture.groups) {
    for (const Duration kind : {Duration::kWakeupLatency, Duration::kPreemptedWait}) {
      for (const auto& [bucket, count] : group.of(kind).whole.buckets()) {
        counts[std::bit_width(Histogram::LeastOf(bucket))] += count;
      }
    }
  }
  const auto some = [](uint64_t count) { return count != 0; };
  const auto first = std::find_if(counts.begin(), counts.end(), some);
  if (first == counts.end()) return "";
  const auto end = std::find_if(counts.rbegin(), counts.rend(), some).base();
  const uint64_t most = *std::max_element(first, end);
  std::string text = "\nhow long threads waited for a CPU\n";
  for (auto at = first; at != end; ++at) {
    const auto bits = static_cast<unsigned>(at - counts.begin());
    const uint64_t least = bits == 0 ? 0 : uint64_t{1} << (bits - 1);
    const auto length = static_cast<size_t>(static_cast<double>(*at) / static_cast<double>(most) *
                                            static_cast<double>(kWidth));
    fmt::format_to(std::back_inserter(text), "  from {:>6} {:>10}  |{:<{}}|\n", Short(least), *at,
                   std::string(length, '*'), kWidth);
  }
  return text;
}

}  // namespace analyze
