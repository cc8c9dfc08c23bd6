// SPDX-License-Identifier: BSD-2-Clause
// Use of CPUs over time, in slots of equal width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace analyze {

// Adds up times of CPUs in at most kSlots slots. Pairs of slots are merged when time goes beyond
// them.
class CpuStrips {
 public:
  static constexpr size_t kSlots = 480;
  // The limit of Linux (NR_CPUS). Untrusted files may have more, and a strip takes 15 KiB.
  static constexpr uint32_t kMostCpus = 8192;
  static constexpr unsigned kFirstShift = 16;  // a slot is 2^16 ns at first

  struct alignas(32) Slot {
    uint64_t busy_ns = 0;
    uint64_t unknown_ns = 0;
    uint64_t queue_ns = 0;  // sum over the threads that wait for the CPU
  };

  // The begin of the first slot. Earlier times are cut.
  void Begin(uint64_t time) { begin_ = time; }
  void AddBusy(uint32_t cpu, uint64_t begin, uint64_t end) { Add(cpu, begin, end, &Slot::busy_ns); }
  void AddUnknown(uint32_t cpu, uint64_t begin, uint64_t end) {
    Add(cpu, begin, end, &Slot::unknown_ns);
  }
  void AddWait(uint32_t cpu, uint64_t begin, uint64_t end) {
    Add(cpu, begin, end, &Slot::queue_ns);
  }

  uint64_t begin() const { return begin_; }
  uint64_t width() const { return uint64_t{1} << shift_; }  // ns
  // By CPU number, of the first kMostCpus CPUs, up to the last slot with any time.
  const std::vector<std::vector<Slot>>& cpus() const { return cpus_; }
  // The first `all` slots of a CPU as `width` columns (1 to `all`): the mean of `what` in each, as
  // a part of a slot.
  std::vector<double> Columns(size_t cpu, size_t all, size_t width, uint64_t Slot::*what) const;

 private:
  [[gnu::always_inline]] void Add(uint32_t cpu, uint64_t begin, uint64_t end,
                                  uint64_t Slot::*what) {
    // The fast path: all of it lies in one slot that exists.
    if (begin >= begin_ && begin < end && cpu < cpus_.size()) [[likely]] {
      const uint64_t slot = (begin - begin_) >> shift_;
      if (slot == (end - 1 - begin_) >> shift_ && slot < cpus_[cpu].size()) [[likely]] {
        cpus_[cpu][slot].*what += end - begin;
        return;
      }
    }
    AddParts(cpu, begin, end, what);
  }
  void AddParts(uint32_t cpu, uint64_t begin, uint64_t end, uint64_t Slot::*what);
  void Widen();

  uint64_t begin_ = 0;
  unsigned shift_ = kFirstShift;
  std::vector<std::vector<Slot>> cpus_;
};

}  // namespace analyze
