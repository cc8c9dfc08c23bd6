// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/cpu_strips.h"

#include <algorithm>

namespace analyze {

void CpuStrips::AddParts(uint32_t cpu, uint64_t begin, uint64_t end, uint64_t Slot::*what) {
  begin = std::max(begin, begin_);
  if (begin >= end || cpu >= kMostCpus) return;
  while ((end - 1 - begin_) >> shift_ >= kSlots) Widen();
  if (cpu >= cpus_.size()) cpus_.resize(cpu + size_t{1});
  std::vector<Slot>& slots = cpus_[cpu];
  const uint64_t last = (end - 1 - begin_) >> shift_;
  if (last >= slots.size()) slots.resize(last + 1);
  for (uint64_t slot = (begin - begin_) >> shift_; slot <= last; ++slot) {
    const uint64_t from = std::max(begin, begin_ + (slot << shift_));
    const uint64_t to = slot == last ? end : begin_ + ((slot + 1) << shift_);
    slots[slot].*what += to - from;
  }
}

std::vector<double> CpuStrips::Columns(size_t cpu, size_t all, size_t width,
                                       uint64_t Slot::*what) const {
  const std::vector<Slot>& slots = cpus_[cpu];
  std::vector<double> columns;
  for (size_t i = 0; i < width; ++i) {
    const size_t first = i * all / width;
    const size_t behind = std::max(first + 1, (i + 1) * all / width);
    uint64_t sum = 0;
    for (size_t slot = first; slot < behind && slot < slots.size(); ++slot) {
      sum += slots[slot].*what;
    }
    columns.push_back(static_cast<double>(sum) /
                      static_cast<double>((behind - first) * this->width()));
  }
  return columns;
}

void CpuStrips::Widen() {
  ++shift_;
  for (std::vector<Slot>& slots : cpus_) {
    const size_t size = (slots.size() + 1) / 2;
    for (size_t i = 0; i < size; ++i) {
      Slot sum = slots[2 * i];
      if (2 * i + 1 < slots.size()) {
        sum.busy_ns += slots[2 * i + 1].busy_ns;
        sum.unknown_ns += slots[2 * i + 1].unknown_ns;
        sum.queue_ns += slots[2 * i + 1].queue_ns;
      }
      slots[i] = sum;
    }
    slots.resize(size);
  }
}

}  // namespace analyze
