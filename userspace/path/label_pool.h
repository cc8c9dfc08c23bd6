// SPDX-License-Identifier: BSD-2-Clause
// Texts by number, each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/text_map.h"
#include "path/request.h"

namespace path {

class LabelPool {
 public:
  static constexpr size_t kMaxBytes = size_t{16} << 20;

  explicit LabelPool(size_t max_bytes = kMaxBytes) : free_(max_bytes) { texts_.push_back(nullptr); }

  // 0 for an empty text, and where there is no room. A longer text is cut.
  static constexpr size_t kMaxTextBytes = 256;
  Label Add(std::string_view text);
  // "" for 0. Valid as long as the pool.
  std::string_view TextOf(Label label) const {
    return label == 0 ? std::string_view() : std::string_view(*texts_[label]);
  }

 private:
  static constexpr size_t kEntryBytes = 96;

  size_t free_;
  fxt::TextMap<Label> labels_;
  std::vector<const std::string*> texts_;  // keys of the map
};

}  // namespace path
