// SPDX-License-Identifier: BSD-2-Clause
// Composes files for tests, record by record.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "fxt/encoder.h"
#include "fxt/record_buffer.h"
#include "unit/fxt/support/collecting_sink.h"

namespace fxt::testing {

class FileBuilder {
 public:
  // Begins with the magic number; FileBuilder(kBare) does not.
  enum Start { kBare, kMagic };
  explicit FileBuilder(Start start = kMagic) : buffer_(sink_), encoder_(buffer_) {
    if (start == kMagic) Add(MagicNumber{});
  }

  template <typename T>
  FileBuilder& Add(const T& record) {
    EXPECT_EQ(encoder_.Write(record), EncodeStatus::kOk);
    return *this;
  }

  // Words unchanged, valid or not.
  FileBuilder& Raw(std::span<const uint64_t> words) {
    EXPECT_TRUE(buffer_.Flush());
    sink_.words.insert(sink_.words.end(), words.begin(), words.end());
    return *this;
  }
  FileBuilder& Raw(std::initializer_list<uint64_t> words) {
    return Raw(std::span(words.begin(), words.size()));
  }

  // Bytes so far: the offset of the next record.
  uint64_t size() { return words().size() * sizeof(uint64_t); }

  std::vector<uint64_t>& words() {
    EXPECT_TRUE(buffer_.Flush());
    return sink_.words;
  }
  std::span<const std::byte> bytes() { return std::as_bytes(std::span(words())); }

 private:
  CollectingSink sink_;
  RecordBuffer buffer_;
  Encoder encoder_;
};

}  // namespace fxt::testing
