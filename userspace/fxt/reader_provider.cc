// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/reader_provider.h"

#include <algorithm>
#include <bit>

namespace fxt {
namespace {

// Threads that the first definition reserves.
constexpr size_t kFewThreads = 8;

}  // namespace

void ReaderProvider::Announce(std::string_view name) {
  definitions_ = ++budget_->definitions;
  name_.assign(name);  // at most 255 bytes by the format
  announced_ = true;
}

void ReaderProvider::SetTickRate(uint64_t ticks_per_second) {
  definitions_ = ++budget_->definitions;
  ticks_per_second_ = ticks_per_second;
  initialized_ = true;
}

uint64_t ReaderProvider::Convert(Ticks ticks) const {
  using Wide = unsigned __int128;
  const Wide nanoseconds = Wide{ticks} * kNanosecondsPerSecond / ticks_per_second_;
  constexpr auto kMax = std::numeric_limits<uint64_t>::max();
  return nanoseconds > kMax ? kMax : static_cast<uint64_t>(nanoseconds);
}

bool ReaderProvider::DefineString(uint16_t index, std::string_view text) {
  definitions_ = ++budget_->definitions;
  if (index >= strings_.size()) {
    const size_t wanted = std::min<size_t>(std::max<size_t>(index + 1, strings_.size() * 2),
                                           size_t{kMaxStringIndex} + 1);
    if (!Take((wanted - strings_.size()) * sizeof(StringSlot))) return false;
    strings_.resize(wanted);
  }
  StringSlot& slot = strings_[index];
  // Without memory for the new text, the index is undefined; the old text would be wrong.
  slot.defined = false;
  if (text.size() > slot.text.capacity()) {
    if (!Take(text.size() - slot.text.capacity())) return false;
    // Avoids std::string's doubling: the budget counts exact bytes.
    std::string fresh;
    fresh.reserve(text.size());
    slot.text.swap(fresh);
  }
  slot.text.assign(text);
  slot.defined = true;
  return true;
}

bool ReaderProvider::DefineThread(uint8_t index, Koid process, Koid thread) {
  definitions_ = ++budget_->definitions;
  if (index >= threads_.size()) {
    const size_t wanted = std::min(std::bit_ceil(std::max<size_t>(index + size_t{1}, kFewThreads)),
                                   size_t{kMaxThreadIndex} + 1);
    if (!Take((wanted - threads_.size()) * sizeof(ThreadIds))) return false;
    threads_.reserve(wanted);  // not more than the budget counts
    threads_.resize(wanted);
  }
  threads_[index] = {process, thread};
  defined_threads_[index] = true;
  return true;
}

}  // namespace fxt
