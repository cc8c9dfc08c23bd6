// SPDX-License-Identifier: BSD-2-Clause
// Records into a descriptor, with nothing that would cost time of its own.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <span>

#include "fxt/byte_sink.h"

namespace bench {

class FdSink final : public fxt::ByteSink {
 public:
  // `fd` stays open as long as the sink is used.
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
