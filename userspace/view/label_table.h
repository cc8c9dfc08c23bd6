// SPDX-License-Identifier: BSD-2-Clause
// Assigns numbers to distinct texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/text_map.h"
#include "view/index_stream.h"

namespace view {

// Numbers are 1, 2, 3, ...; 0 is the empty text, and also returned when the limit is reached. Texts
// are made safe for a terminal (text/clean_text.h) and cut to kMaxTextBytes.
class LabelTable {
 public:
  static constexpr size_t kMaxTextBytes = 4096;

  explicit LabelTable(size_t max_bytes) : max_bytes_(max_bytes) {}

  uint32_t Add(std::string_view text);
  std::string_view Text(uint32_t label) const { return label < texts_.size() ? texts_[label] : ""; }
  // All numbers are below it.
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }
  uint64_t left_out() const { return left_out_; }
  size_t bytes() const { return bytes_; }

  void Save(IndexWriter& out) const;
  // Restores saved labels. Add() must not be called afterwards. False: they cannot be read or
  // exceed the limit.
  bool Load(IndexReader& in);

 private:
  // Overhead of an entry in bytes: the nodes of the map and the vector, and the text's header.
  static constexpr size_t kEntryBytes = 128;

  size_t max_bytes_;
  size_t bytes_ = 0;
  uint64_t left_out_ = 0;
  fxt::TextViewMap<uint32_t> numbers_;
  std::vector<std::unique_ptr<std::string>> owned_;
  std::vector<std::string_view> texts_ = {""};
};

}  // namespace view
