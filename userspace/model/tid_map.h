// SPDX-License-Identifier: BSD-2-Clause
// A map from thread ids to small values that costs two loads to read. Pages of it exist only where
// there are tids, so that memory follows the tids in use and never passes 2^22 values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/koid.h"

namespace model {

template <typename T, T kAbsent>
class TidMap {
 public:
  T Get(uint32_t tid) const {
    const Page* page = pages_[(tid & kTidMask) >> kPageBits].get();
    return page ? (*page)[tid & (kPageSize - 1)] : kAbsent;
  }

  void Set(uint32_t tid, T value) {
    std::unique_ptr<Page>& page = pages_[(tid & kTidMask) >> kPageBits];
    if (!page) {
      if (value == kAbsent) return;
      page = std::make_unique<Page>();
      page->fill(kAbsent);
    }
    (*page)[tid & (kPageSize - 1)] = value;
  }

 private:
  static constexpr unsigned kPageBits = 10;
  static constexpr size_t kPageSize = size_t{1} << kPageBits;
  using Page = std::array<T, kPageSize>;

  std::array<std::unique_ptr<Page>, (size_t{1} << (kTidBits - kPageBits))> pages_;
};

}  // namespace model
