// SPDX-License-Identifier: BSD-2-Clause
// Names of lanes in the page's requests: a letter and a number.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace view {

enum class LaneKind : char {
  kCpu = 'c',
  kStates = 's',    // of a thread
  kSpans = 'd',     // of a thread
  kInstants = 'i',  // of a thread
  kAsync = 'a',
  kCounter = 'k',
  kGaps = 'g',    // times with unknown activity of a CPU
  kLosses = 'l',  // marks of lost events and hidden switches, of a CPU or of no CPU
};

struct LaneId {
  LaneKind kind = LaneKind::kCpu;
  uint32_t number = 0;
};

inline std::optional<LaneId> ParseLaneId(std::string_view text) {
  if (text.size() < 2 || std::string_view("csdiakgl").find(text[0]) == std::string_view::npos) {
    return std::nullopt;
  }
  LaneId id{static_cast<LaneKind>(text[0]), 0};
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), id.number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

}  // namespace view
