// SPDX-License-Identifier: BSD-2-Clause
// A sink that keeps its bytes and can fail on request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fxt/byte_sink.h"

namespace fxt::testing {

class CollectingSink : public ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    ++calls;
    if (fail) return false;
    const size_t before = words.size();
    words.resize(before + records.size() / sizeof(uint64_t));
    std::memcpy(words.data() + before, records.data(), records.size());
    chunk_bytes.push_back(records.size());
    return true;
  }

  bool fail = false;
  int calls = 0;
  std::vector<uint64_t> words;
  std::vector<size_t> chunk_bytes;
};

}  // namespace fxt::testing
