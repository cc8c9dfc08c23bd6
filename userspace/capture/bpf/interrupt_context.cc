// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/interrupt_context.h"

#include <fstream>
#include <sstream>

namespace capture {
namespace {

// Serving a softirq: an odd count (bits 8 to 15).
constexpr uint32_t kSoftirqBit = 0x00000100;
// Hardirqs and NMIs.
constexpr uint32_t kHardBits = 0x00ff0000;
constexpr uint32_t kHardBitsSince73 = 0x1f000000;
// The bits of both layouts.
constexpr uint32_t kAnyHardBits = kHardBits | kHardBitsSince73;

std::optional<PerCpuOffsets> FindBySymbol(const std::string& symbols) {
  std::ifstream file(symbols);
  std::optional<uint64_t> runqueues;
  std::optional<uint64_t> cpu_number;
  std::optional<uint64_t> preempt_count;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    uint64_t address = 0;
    std::string type;
    std::string name;
    if (!(words >> std::hex >> address >> type >> name)) continue;
    if (std::string module; words >> module) break;  // the kernel's own symbols come first
    if (name == "runqueues") runqueues = address;
    if (name == "cpu_number") cpu_number = address;
    if (name == "__preempt_count") preempt_count = address;
  }
  if (!runqueues || !cpu_number || !preempt_count) return std::nullopt;
  // Addresses are hidden from unprivileged readers.
  if (*runqueues == 0 && *preempt_count == 0) return std::nullopt;
  return PerCpuOffsets{*runqueues, *cpu_number, *preempt_count};
}

}  // namespace

std::optional<PerCpuOffsets> FindPerCpuOffsets(const KernelTypes& types,
                                               const std::string& symbols) {
  const auto runqueues = types.PerCpuOffset("runqueues");
  const auto hot = types.PerCpuOffset("pcpu_hot");
  const auto cpu_number = hot ? hot : types.PerCpuOffset("cpu_number");
  const auto preempt_count = hot ? hot : types.PerCpuOffset("__preempt_count");
  if (!runqueues || !cpu_number || !preempt_count) return FindBySymbol(symbols);
  return PerCpuOffsets{*runqueues, *cpu_number, *preempt_count};
}

uint32_t InterruptMask(const KernelTypes& types) {
  // Present where the kernel keeps the state to restore when the disable count returns to 0.
  const bool counts_disabled = types.PerCpuOffset("local_interrupt_disable_state").has_value();
  return kSoftirqBit | (counts_disabled ? kHardBitsSince73 : kHardBits);
}

bool Contradicts(const fxr_context_sample& seen, uint32_t own_tid, uint32_t mask) {
  const bool in_interrupt = (seen.preempt_count & mask) != 0;
  if (seen.tid == own_tid) return in_interrupt;
  if (in_interrupt) return false;
  // Idle tasks run such work themselves, without an interrupt.
  return seen.tid != 0 || (seen.preempt_count & kAnyHardBits) != 0;
}

}  // namespace capture
