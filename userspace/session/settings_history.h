// SPDX-License-Identifier: BSD-2-Clause
// Keeps the settings at the left edge of a window, and their changes since.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "fxt_record/event.h"
#include "schema/settings.h"

namespace session {

// Immutable, so that a snapshot on another thread can share it.
struct TimedSettings {
  uint64_t time = 0;  // ns of CLOCK_MONOTONIC
  std::shared_ptr<const schema::Settings> settings;
};

class SettingsHistory {
 public:
  // Limit of memory. Further settings are not kept.
  static constexpr size_t kMostBytes = size_t{8} << 20;

  explicit SettingsHistory(size_t most_bytes = kMostBytes) : most_bytes_(most_bytes) {}

  // `time`: when the settings were read. Must not decrease.
  void Add(uint64_t time, schema::Settings settings);
  // Keeps the settings of an ended process until its end leaves the window.
  void OnSideEvent(const fxr_side_header& event);
  // The left edge of the window is now `time`.
  void Trim(uint64_t time);

  // The state at the left edge, with time 0, then the changes.
  std::vector<TimedSettings> All() const;
  size_t bytes() const { return bytes_; }

 private:
  using Key = std::tuple<schema::SettingScope, uint32_t, std::string>;

  void Apply(const schema::Settings& settings);
  void Erase(uint32_t pid);
  void Count(const schema::Settings& settings, bool more);

  const size_t most_bytes_;
  size_t bytes_ = 0;
  std::map<Key, std::shared_ptr<const schema::Settings>> state_;
  std::deque<TimedSettings> changes_;
  struct Ended {
    uint64_t time = 0;
    uint32_t pid = 0;
  };
  std::deque<Ended> ended_;                      // processes with settings
  std::unordered_map<uint32_t, size_t> of_pid_;  // number of settings, by process
  std::array<Ended, 1024> last_ended_{};         // a ring; their settings may still arrive
  size_t ends_ = 0;
};

}  // namespace session
