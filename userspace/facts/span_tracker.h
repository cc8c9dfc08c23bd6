// SPDX-License-Identifier: BSD-2-Clause
// Tells whether ends of durations, async operations and flows have their begins.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "fxt/record.h"

namespace facts {

// Durations nest on a thread and are matched by depth; async operations and flows by category and
// correlation id.
class SpanTracker {
 public:
  enum class Verdict : uint8_t { kFits, kLoneDurationEnd, kLoneAsync, kLoneFlow };

  // Of an end, or of something between begin and end. Everything else fits.
  Verdict Note(const fxt::Event& event);

 private:
  using Open = std::unordered_map<std::string, uint64_t>;

  void Begin(Open& open, const fxt::Event& event);
  bool IsOpen(const Open& open, const fxt::Event& event) const;
  bool End(Open& open, const fxt::Event& event);

  std::unordered_map<fxt::Koid, uint64_t> depth_;  // of durations, by thread
  Open async_;
  Open flows_;
  // Damaged files can open more than is worth keeping; everything fits from then on.
  bool gave_up_ = false;
};

}  // namespace facts
