// SPDX-License-Identifier: BSD-2-Clause
// Koids of tracks that stand for devices and for what CPUs are like; koid.h has the others.
#pragma once

#include "schema/koid.h"

namespace schema {

inline constexpr uint32_t kDeviceGeneration = kLostGeneration - 1;
static_assert(kDeviceGeneration > kMaxGeneration);

// Block devices: a process for them all, a thread for each, numbered as they come.
inline constexpr fxt::Koid kDeviceProcessKoid = MakeKoid(6, kPseudoProcessGeneration);
constexpr fxt::Koid DeviceKoid(uint32_t number) { return MakeKoid(number, kDeviceGeneration); }
// Frequencies and idle states.
inline constexpr fxt::Koid kPowerProcessKoid = MakeKoid(7, kPseudoProcessGeneration);

}  // namespace schema
