// SPDX-License-Identifier: BSD-2-Clause
// A map from tids to small values; a lookup costs two loads. Pages exist only where tids are in
// use: on a machine whose tids go up to 2^22 a storm of forks passes through all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "schema/koid.h"

namespace model {

template <typename T, T kAbsent>
class TidMap {
 public:
  TidMap() { pages_.fill(&kNothing); }
  ~TidMap() { Clear(); }
  TidMap(const TidMap&) = delete;
  TidMap& operator=(const TidMap&) = delete;

  T Get(uint32_t tid) const { return *Place(tid); }

  // The address of the value, valid until the next Set() or Clear().
  const T* Place(uint32_t tid) const {
    return &pages_[(tid & schema::kTidMask) >> kPageBits]->values[tid & (kPageSize - 1)];
  }

  // Resets all values.
  void Clear() {
    for (const Page*& page : pages_) {
      if (page != &kNothing) delete std::exchange(page, &kNothing);
    }
  }

  void Set(uint32_t tid, T value) {
    const Page*& place = pages_[(tid & schema::kTidMask) >> kPageBits];
    if (place == &kNothing) {
      if (value == kAbsent) return;
      place = TakeSpare();
    }
    Page& page = const_cast<Page&>(*place);
    T& kept = page.values[tid & (kPageSize - 1)];
    page.present +=
        static_cast<uint32_t>(value != kAbsent) - static_cast<uint32_t>(kept != kAbsent);
    kept = value;
    if (page.present != 0) return;
    place = &kNothing;
    std::unique_ptr<const Page> empty(&page);
    if (spares_.size() < kMaxSpares) spares_.push_back(std::move(empty));
  }

 private:
  static constexpr unsigned kPageBits = 10;
  static constexpr size_t kPageSize = size_t{1} << kPageBits;
  // Empty pages that are kept, for values that come and go.
  static constexpr size_t kMaxSpares = 16;
  struct Page {
    std::array<T, kPageSize> values;
    uint32_t present;  // values that are not kAbsent
  };

  static constexpr Page MakeNothing() {
    Page page{};
    for (T& value : page.values) value = kAbsent;
    return page;
  }
  const Page* TakeSpare() {
    if (spares_.empty()) return new Page(kNothing);
    const Page* spare = spares_.back().release();
    spares_.pop_back();
    return spare;
  }
  // A shared page for absent entries, so that readers need no null check.
  static constexpr Page kNothing = MakeNothing();

  std::array<const Page*, (size_t{1} << (schema::kTidBits - kPageBits))> pages_;
  std::vector<std::unique_ptr<const Page>> spares_;
};

}  // namespace model
