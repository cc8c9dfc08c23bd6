// SPDX-License-Identifier: BSD-2-Clause
// Which koid a thread or process gets. People recognise a tid, so a koid is the tid; a tid that the
// kernel used again within one capture carries a generation above its 22 bits (the kernel's
// PID_MAX_LIMIT). Everything stays below 2^32, where one viewer cuts.
#pragma once

#include <cstdint>

#include "fxt/format.h"

namespace schema {

inline constexpr unsigned kTidBits = 22;
inline constexpr uint32_t kTidMask = (1u << kTidBits) - 1;
// Generations 1..1007 tell later uses of a tid apart; they start again at 1 after that. The rest
// are for threads that no tid can stand for.
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
// Stands on a CPU for whatever ran there while events were lost.
inline constexpr fxt::Koid kLostProcessKoid = MakeKoid(4, kPseudoProcessGeneration);
// A task that an imported recording names by a number no task has.
inline constexpr fxt::Koid kUnknownProcessKoid = MakeKoid(5, kPseudoProcessGeneration);
constexpr fxt::Koid LostKoid(uint32_t cpu) { return MakeKoid(cpu, kLostGeneration); }
constexpr fxt::Koid IrqKoid(uint32_t cpu) { return MakeKoid(cpu, kIrqGeneration); }
constexpr fxt::Koid SoftirqKoid(uint32_t cpu) { return MakeKoid(cpu, kSoftirqGeneration); }
constexpr fxt::Koid RecorderKoid() { return kRecorderProcessKoid; }

// No koid of a recording is above this.
inline constexpr fxt::Koid kMaxKoid = 0xffffffff;
// Generations from here on are of threads and processes that no tid can stand for.
inline constexpr uint32_t kFirstPseudoGeneration = kMaxGeneration + 1;
// Whether a thread is the track of a CPU: idle, interrupts, lost events. Its low bits are the CPU.
constexpr bool IsCpuTrack(fxt::Koid koid) {
  const auto generation = koid >> kTidBits;
  return generation == kIdleGeneration || generation == kIrqGeneration ||
         generation == kSoftirqGeneration || generation == kLostGeneration;
}

}  // namespace schema
