// SPDX-License-Identifier: BSD-2-Clause
// The purpose of a sleep, as WaitPurposes (wait_purposes.h) finds it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace facts {

// What a thread waited for in a sleep.
enum class WaitsFor : uint8_t {
  kUnknown,
  kAnswer,  // the answer of a thread that it asked, directly or through others
  kLock,   // a lock or other resource, within its work, which a thread that it did not ask released
  kWork,   // the next request, of a thread that it did not ask
  kTimer,  // its own timer
  kDevice,
  kChild,  // the exit of a process or thread that it created
};
inline constexpr size_t kWaitsFor = 7;
// Their names in tables.
inline constexpr std::array<const char*, kWaitsFor> kWaitsForNames = {
    "unknown", "answer", "lock", "work", "timer", "device", "child"};

}  // namespace facts
