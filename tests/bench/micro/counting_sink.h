// SPDX-License-Identifier: BSD-2-Clause
// Counts and discards the bytes.
#pragma once

#include <cstdint>

#include "fxt/byte_sink.h"

namespace bench {

class CountingSink final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    bytes_ += records.size();
    return true;
  }
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

}  // namespace bench
