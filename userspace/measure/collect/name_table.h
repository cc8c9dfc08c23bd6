// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "fxt/text_map.h"

namespace measure {

// Texts as numbers 0, 1, 2, ... in order of appearance. Texts beyond a limit are all kOthers.
class NameTable {
 public:
  // `limit` is at least 1: no more different texts than that, kOthers included.
  explicit NameTable(size_t limit) : limit_(limit) {}
  // The number it has or gets.
  uint32_t Add(std::string text);
  bool Has(const std::string& text) const { return numbers_.find(text) != numbers_.end(); }
  size_t size() const { return texts_.size(); }
  const std::string& operator[](uint32_t number) const { return texts_[number]; }

 private:
  size_t limit_;
  fxt::TextMap<uint32_t> numbers_;
  std::deque<std::string> texts_;
};

}  // namespace measure
