// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/table_store.h"

#include <algorithm>
#include <iterator>

namespace unwind {
namespace {

// Tables begin at a multiple of a rule's words, so that no rule crosses a block.
constexpr auto kAlignment = static_cast<uint32_t>(FXR_UNWIND_RULE_WORDS);

uint32_t Aligned(size_t words) {
  return static_cast<uint32_t>((words + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

std::optional<Extent> ExtentAllocator::Allocate(uint32_t count, uint64_t now) {
  while (!waiting_.empty() && waiting_.front().until <= now) {
    Release(waiting_.front().extent);
    waiting_count_ -= waiting_.front().extent.count;
    waiting_.pop_front();
  }
  if (count == 0) return Extent{};
  const auto found = std::ranges::find_if(free_, [=](const auto& e) { return e.second >= count; });
  if (found == free_.end()) return std::nullopt;
  const Extent extent{found->first, count};
  const uint32_t left = found->second - count;
  free_.erase(found);
  if (left != 0) free_.emplace(extent.first + count, left);
  return extent;
}

void ExtentAllocator::Free(Extent extent, uint64_t now) {
  if (extent.count == 0) return;
  waiting_.push_back({extent, now + kGrace});
  waiting_count_ += extent.count;
}

void ExtentAllocator::Release(Extent extent) {
  auto next = free_.lower_bound(extent.first);
  if (next != free_.end() && extent.first + extent.count == next->first) {
    extent.count += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == extent.first) {
      before->second += extent.count;
      return;
    }
  }
  free_.emplace(extent.first, extent.count);
}

TableStore::TableStore(const Memory& memory)
    : memory_(memory),
      words_(0, static_cast<uint32_t>(memory.words.size()) / kAlignment * kAlignment),
      ranges_(0, static_cast<uint32_t>(memory.ranges.size())),
      extents_(1) {}

std::optional<uint32_t> TableStore::AddModule() {
  uint32_t module = static_cast<uint32_t>(extents_.size());
  if (module < memory_.modules.size()) {
    extents_.emplace_back();
  } else {
    if (free_modules_.empty()) return std::nullopt;
    module = free_modules_.front();
    free_modules_.pop_front();
  }
  memory_.modules[module] = {};
  return module;
}

void TableStore::RemoveModule(uint32_t module, uint64_t now) {
  Unload(module, now);
  free_modules_.push_back(module);
}

uint32_t TableStore::UsedAt(uint32_t module) const {
  return __atomic_load_n(&memory_.modules[module].used, __ATOMIC_RELAXED);
}

void TableStore::Unload(uint32_t module, uint64_t now) {
  Extent& extent = extents_[module];
  if (extent.count == 0) return;
  __atomic_store_n(&memory_.modules[module].pages, 0, __ATOMIC_RELEASE);
  words_.Free(extent, now);
  table_words_ -= extent.count;
  --loaded_;
  extent = {};
}

std::optional<uint32_t> TableStore::LeastUsed(uint32_t use_time) const {
  std::optional<uint32_t> least;
  for (uint32_t module = 1; module < extents_.size(); ++module) {
    if (extents_[module].count == 0 || UsedAt(module) >= use_time) continue;
    if (!least || UsedAt(module) < UsedAt(*least)) least = module;
  }
  return least;
}

bool TableStore::Load(uint32_t module, const UnwindTable& table, uint32_t use_time, uint64_t now) {
  const auto fill = [&](const Put& put) {
    put(0, table.words());
    return true;
  };
  return Load(module, table.shape(), table.words().size(), fill, use_time, now);
}

bool TableStore::Load(uint32_t module, const UnwindTable::Shape& shape, size_t size,
                      const Fill& fill, uint32_t use_time, uint64_t now) {
  if (size == 0 || IsLoaded(module)) return size != 0;
  if (size > memory_.words.size()) return false;
  const uint32_t count = Aligned(size);
  std::optional<Extent> extent = words_.Allocate(count, now);
  while (!extent && words_.waiting() < count) {
    const auto least = LeastUsed(use_time);
    if (!least) break;
    Unload(*least, now);
    ++unloaded_;
  }
  // The unloaded ones become free later, and the caller tries again.
  if (!extent) return false;
  const auto put = [&](size_t at, std::span<const fxr_u32> words) {
    const auto first = static_cast<uint32_t>(extent->first + at);
    if (memory_.write) return memory_.write(first, words);
    std::ranges::copy(words, memory_.words.begin() + first);
  };
  // The programs know the words only once the module's entry names them.
  if ((memory_.provide && !memory_.provide(extent->first, extent->count)) || !fill(put)) {
    words_.Free(*extent, now);
    return false;
  }
  extents_[module] = *extent;
  table_words_ += count;
  ++loaded_;
  fxr_unwind_module& entry = memory_.modules[module];
  entry.first_page = static_cast<fxr_u32>(shape.file_offset >> FXR_UNWIND_PAGE_SHIFT);
  entry.index = extent->first;
  entry.rows = extent->first + shape.rows_at();
  entry.rules = extent->first + shape.rules_at();
  __atomic_store_n(&entry.pages, shape.pages, __ATOMIC_RELEASE);
  return true;
}

std::optional<Extent> TableStore::AddRanges(std::span<const fxr_unwind_range> ranges,
                                            uint64_t now) {
  const auto extent = ranges_.Allocate(static_cast<uint32_t>(ranges.size()), now);
  if (extent) std::ranges::copy(ranges, memory_.ranges.begin() + extent->first);
  return extent;
}

}  // namespace unwind
