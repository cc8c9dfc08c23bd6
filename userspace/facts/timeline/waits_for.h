// SPDX-License-Identifier: BSD-2-Clause
// What a sleep was for, as WaitPurposes (wait_purposes.h) works it out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace facts {

// What a thread slept for.
enum class WaitsFor : uint8_t {
  kUnknown,
  kAnswer,  // what a thread does for it, directly or through others
  kLock,    // amid its work, until a thread that it did not ask lets it go on
  kWork,    // the next request, by a thread that it did not ask
  kTimer,   // its own timer
  kDevice,
  kChild,  // the exit of a process or thread that it made
};
inline constexpr size_t kWaitsFor = 7;
// Their names in tables.
inline constexpr std::array<const char*, kWaitsFor> kWaitsForNames = {
    "unknown", "answer", "lock", "work", "timer", "device", "child"};

}  // namespace facts
