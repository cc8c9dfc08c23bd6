// SPDX-License-Identifier: BSD-2-Clause
// The koids of threads and processes. A koid is the tid. If the kernel reuses a tid within a
// capture, the koid carries a generation above the tid's 22 bits (the kernel's PID_MAX_LIMIT).
// Koids stay below 2^32, because one viewer truncates them.
#pragma once

#include <cstdint>

#include "fxt/format.h"

namespace schema {

inline constexpr unsigned kTidBits = 22;
inline constexpr uint32_t kTidMask = (1u << kTidBits) - 1;
// Generations 1..1007 distinguish reuses of a tid and then start again at 1. The others are for
// threads without a tid.
inline constexpr uint32_t kMaxGeneration = 1007;
inline constexpr uint32_t kIdleGeneration = 1023;
inline constexpr uint32_t kIrqGeneration = 1022;
inline constexpr uint32_t kSoftirqGeneration = 1021;
inline constexpr uint32_t kPseudoProcessGeneration = 1020;
inline constexpr uint32_t kLostGeneration = 1019;

// `tid` is below 2^22, `generation` below 2^10.
constexpr fxt::Koid MakeKoid(uint32_t tid, uint32_t generation) {
  return (static_cast<fxt::Koid>(generation) << kTidBits) | (tid & kTidMask);
}
constexpr uint32_t TidOfKoid(fxt::Koid koid) { return static_cast<uint32_t>(koid) & kTidMask; }
constexpr uint32_t GenerationOfKoid(fxt::Koid koid) {
  return static_cast<uint32_t>(koid >> kTidBits) & 0x3ff;
}

// The idle task of a CPU: process 0, a thread koid that no tid has.
inline constexpr fxt::Koid kIdleProcessKoid = 0;
constexpr fxt::Koid IdleKoid(uint32_t cpu) { return MakeKoid(cpu, kIdleGeneration); }

// Tracks of interrupt handlers, one per CPU.
inline constexpr fxt::Koid kIrqProcessKoid = MakeKoid(1, kPseudoProcessGeneration);
inline constexpr fxt::Koid kSoftirqProcessKoid = MakeKoid(2, kPseudoProcessGeneration);
// The recorder's own tracks: session information and losses.
inline constexpr fxt::Koid kRecorderProcessKoid = MakeKoid(3, kPseudoProcessGeneration);
// Represents, on a CPU's lane, the unknown threads that ran there during a loss.
inline constexpr fxt::Koid kLostProcessKoid = MakeKoid(4, kPseudoProcessGeneration);
// A task that an imported recording names by an id that no task has.
inline constexpr fxt::Koid kUnknownProcessKoid = MakeKoid(5, kPseudoProcessGeneration);
constexpr fxt::Koid LostKoid(uint32_t cpu) { return MakeKoid(cpu, kLostGeneration); }
constexpr fxt::Koid IrqKoid(uint32_t cpu) { return MakeKoid(cpu, kIrqGeneration); }
constexpr fxt::Koid SoftirqKoid(uint32_t cpu) { return MakeKoid(cpu, kSoftirqGeneration); }
constexpr fxt::Koid RecorderKoid() { return kRecorderProcessKoid; }
// The recorder's track of settings.
constexpr fxt::Koid SettingsKoid() { return MakeKoid(8, kPseudoProcessGeneration); }

// The largest koid of a recording.
inline constexpr fxt::Koid kMaxKoid = 0xffffffff;
// Generations from here on belong to threads and processes without a tid.
inline constexpr uint32_t kFirstPseudoGeneration = kMaxGeneration + 1;
// True for the per-CPU tracks: idle, interrupts, lost events. The low bits are the CPU.
constexpr bool IsCpuTrack(fxt::Koid koid) {
  const auto generation = koid >> kTidBits;
  return generation == kIdleGeneration || generation == kIrqGeneration ||
         generation == kSoftirqGeneration || generation == kLostGeneration;
}

inline constexpr uint32_t kDeviceGeneration = kLostGeneration - 1;
static_assert(kDeviceGeneration > kMaxGeneration);

// Block devices: one process for all, one thread per device, numbered in order of appearance.
inline constexpr fxt::Koid kDeviceProcessKoid = MakeKoid(6, kPseudoProcessGeneration);
constexpr fxt::Koid DeviceKoid(uint32_t number) { return MakeKoid(number, kDeviceGeneration); }
// CPU frequencies and idle states.
inline constexpr fxt::Koid kPowerProcessKoid = MakeKoid(7, kPseudoProcessGeneration);

// Critical paths that `fxt path` writes as tracks: one process, one thread per lane.
inline constexpr uint32_t kPathGeneration = kDeviceGeneration - 1;
static_assert(kPathGeneration > kMaxGeneration);
inline constexpr fxt::Koid kPathProcessKoid = MakeKoid(20, kPseudoProcessGeneration);
constexpr fxt::Koid PathKoid(uint32_t lane) { return MakeKoid(lane, kPathGeneration); }

}  // namespace schema
