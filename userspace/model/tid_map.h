// SPDX-License-Identifier: BSD-2-Clause
// A map from tids to small values; a lookup costs two loads. Pages exist only where tids are in
// use, so memory is bounded by 2^22 values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "schema/koid.h"

namespace model {

template <typename T, T kAbsent>
class TidMap {
 public:
  TidMap() { pages_.fill(&kNothing); }
  TidMap(const TidMap&) = delete;
  TidMap& operator=(const TidMap&) = delete;

  T Get(uint32_t tid) const { return *Place(tid); }

  // The address of the value, valid until the next Set().
  const T* Place(uint32_t tid) const {
    return &(*pages_[(tid & schema::kTidMask) >> kPageBits])[tid & (kPageSize - 1)];
  }

  // Resets all values and keeps the memory.
  void Clear() {
    for (const std::unique_ptr<Page>& page : owned_) *page = kNothing;
  }

  void Set(uint32_t tid, T value) {
    const Page*& page = pages_[(tid & schema::kTidMask) >> kPageBits];
    if (page == &kNothing) {
      if (value == kAbsent) return;
      owned_.push_back(std::make_unique<Page>(kNothing));
      page = owned_.back().get();
    }
    (*const_cast<Page*>(page))[tid & (kPageSize - 1)] = value;
  }

 private:
  static constexpr unsigned kPageBits = 10;
  static constexpr size_t kPageSize = size_t{1} << kPageBits;
  using Page = std::array<T, kPageSize>;

  static constexpr Page MakeNothing() {
    Page page{};
    for (T& value : page) value = kAbsent;
    return page;
  }
  // A shared page for absent entries, so that readers need no null check.
  static constexpr Page kNothing = MakeNothing();

  std::array<const Page*, (size_t{1} << (schema::kTidBits - kPageBits))> pages_;
  std::vector<std::unique_ptr<Page>> owned_;
};

}  // namespace model
