// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/interrupt_context.h"

#include <fstream>
#include <sstream>

namespace capture {
namespace {

// Serving a soft interrupt: an odd count of them (bits 8 to 15).
constexpr uint32_t kSoftirqBit = 0x00000100;
// Hard interrupts and NMIs.
constexpr uint32_t kHardBits = 0x00ff0000;
constexpr uint32_t kHardBitsSince73 = 0x1f000000;
// Of either layout.
constexpr uint32_t kAnyHardBits = kHardBits | kHardBitsSince73;

std::optional<PerCpuPlaces> FindBySymbol(const std::string& symbols) {
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
    if (std::string module; words >> module) break;  // those of the kernel itself come first
    if (name == "runqueues") runqueues = address;
    if (name == "cpu_number") cpu_number = address;
    if (name == "__preempt_count") preempt_count = address;
  }
  if (!runqueues || !cpu_number || !preempt_count) return std::nullopt;
  // Hidden from whoever may not see addresses.
  if (*runqueues == 0 && *preempt_count == 0) return std::nullopt;
  return PerCpuPlaces{*runqueues, *cpu_number, *preempt_count};
}

}  // namespace

std::optional<PerCpuPlaces> FindPerCpuPlaces(const KernelTypes& types, const std::string& symbols) {
  const auto runqueues = types.PerCpuPlace("runqueues");
  const auto hot = types.PerCpuPlace("pcpu_hot");
  const auto cpu_number = hot ? hot : types.PerCpuPlace("cpu_number");
  const auto preempt_count = hot ? hot : types.PerCpuPlace("__preempt_count");
  if (!runqueues || !cpu_number || !preempt_count) return FindBySymbol(symbols);
  return PerCpuPlaces{*runqueues, *cpu_number, *preempt_count};
}

uint32_t InterruptMask(const KernelTypes& types) {
  // Where it is written down what to restore when the count of disabled interrupts is 0 again.
  const bool counts_disabled = types.PerCpuPlace("local_interrupt_disable_state").has_value();
  return kSoftirqBit | (counts_disabled ? kHardBitsSince73 : kHardBits);
}

bool Contradicts(const fxr_context_sample& seen, uint32_t own_tid, uint32_t mask) {
  const bool in_interrupt = (seen.preempt_count & mask) != 0;
  if (seen.tid == own_tid) return in_interrupt;
  if (in_interrupt) return false;
  // Idle tasks look for such work themselves, without an interrupt.
  return seen.tid != 0 || (seen.preempt_count & kAnyHardBits) != 0;
}

}  // namespace capture
