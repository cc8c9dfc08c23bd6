// SPDX-License-Identifier: BSD-2-Clause
// Keeps a trace in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sink/sink.h"

namespace sink {

class MemorySink final : public Sink {
 public:
  // More than `limit` bytes are an error, as on a full disk.
  explicit MemorySink(size_t limit = std::numeric_limits<size_t>::max()) : limit_(limit) {}

  bool Write(std::span<const std::byte> records) override;
  bool Flush() override { return !full_; }
  util::Status Close() override;
  uint64_t bytes_accepted() const override { return bytes_.size(); }
  uint64_t bytes_on_disk() const override { return bytes_.size(); }

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  const size_t limit_;
  std::vector<std::byte> bytes_;
  bool full_ = false;
};

}  // namespace sink
