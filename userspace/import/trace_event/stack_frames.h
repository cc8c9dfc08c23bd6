// SPDX-License-Identifier: BSD-2-Clause
// Keeps the stack frames of a JSON file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fxt/text_map.h"

namespace importer {

class StackFrames {
 public:
  static constexpr size_t kMaxBytes = size_t{6} << 20;
  static constexpr size_t kMaxDepth = 200;

  // An empty `parent` means a root. The last definition of an id is kept. False: the table is full.
  bool Add(std::string_view id, std::string_view name, std::string_view category,
           std::string_view parent);

  // The stack that ends with frame `id`, root first, one frame per line; empty if it is unknown.
  // Keeps the kMaxDepth frames next to the leaf and stops at cycles.
  std::string StackOf(std::string_view id) const;

  size_t size() const { return frames_.size(); }

 private:
  struct Frame {
    std::string name;
    std::string parent;
  };
  size_t bytes_ = 0;
  fxt::TextMap<Frame> frames_;
};

}  // namespace importer
