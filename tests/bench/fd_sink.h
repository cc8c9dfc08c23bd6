// SPDX-License-Identifier: BSD-2-Clause
// Writes records to a descriptor with minimal overhead.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>

#include "fxt/byte_sink.h"

namespace bench {

class FdSink final : public fxt::ByteSink {
 public:
  // `fd` has to outlive the sink.
  explicit FdSink(int fd) : fd_(fd) {}

  bool Write(std::span<const std::byte> records) override {
    while (!records.empty()) {
      const ssize_t n = write(fd_, records.data(), records.size());
      if (n <= 0) return false;
      records = records.subspan(static_cast<size_t>(n));
    }
    return true;
  }

 private:
  int fd_;
};

}  // namespace bench
