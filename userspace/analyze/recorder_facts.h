// SPDX-License-Identifier: BSD-2-Clause
// What fxt-record says about itself in a trace: the session, losses, gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fxt/record.h"

namespace analyze {

inline constexpr std::string_view kRecorderName = "fxt-record";  // provider and category

// The instant with which a recording begins: how it was made, as arguments.
bool IsSession(const fxt::Event& event);

// The instant that declares lost events. `cpu` -1: not tied to a CPU. Empty for other events; a
// declaration with arguments missing or of another type has no value there.
struct Loss {
  std::optional<int32_t> cpu;
  std::optional<uint64_t> count;
  std::optional<std::string_view> category;
};
std::optional<Loss> AsLoss(const fxt::Event& event);

// The instant that says that a switch of a CPU was not seen although nothing was lost: the CPU.
std::optional<int32_t> AsUnseenSwitch(const fxt::Event& event);

// A recording filtered by thread, process or CPU does not show every switch of a CPU. Given the
// session's event.
bool IsFiltered(const fxt::Event& session);

// The instant that `fxt trim` leaves in a smaller file; true if it left out threads, processes or
// CPUs, so that not every switch of a CPU is there.
bool IsFilteringTrim(const fxt::Event& event);

// koids as the recorder makes them: the low 22 bits are the tid, above it a generation. The top
// generations stand for what has no tid: tracks of CPUs (idle, interrupts, losses), the recorder.
inline constexpr unsigned kTidBits = 22;
inline constexpr fxt::Koid kMaxKoid = 0xffffffff;
inline constexpr fxt::Koid kFirstPseudoGeneration = 1008;
constexpr fxt::Koid IdleKoid(uint32_t cpu) { return fxt::Koid{1023} << kTidBits | cpu; }
inline constexpr fxt::Koid kRecorderKoid = fxt::Koid{1020} << kTidBits | 3;
constexpr uint32_t TidOf(fxt::Koid koid) {
  return static_cast<uint32_t>(koid & ((1u << kTidBits) - 1));
}
constexpr bool IsCpuTrack(fxt::Koid koid) {
  const fxt::Koid generation = koid >> kTidBits;
  return generation == 1023 || generation == 1022 || generation == 1021 || generation == 1019;
}

}  // namespace analyze
