// SPDX-License-Identifier: BSD-2-Clause
// Writes records to a file, a pipe or standard output without compression.
#pragma once

#include "sink/output.h"
#include "sink/sink.h"

namespace sink {

// After a write error (disk full) a regular file is cut back to the last whole record. There is no
// buffer: a chunk of fxt::RecordBuffer is one system call.
class FileSink final : public Sink {
 public:
  explicit FileSink(Output output) : output_(std::move(output)) {}
  ~FileSink() override;

  bool Write(std::span<const std::byte> records) override;
  bool Flush() override { return !output_.failed(); }
  util::Status Close() override { return output_.Close(); }
  uint64_t bytes_accepted() const override { return accepted_; }
  uint64_t bytes_on_disk() const override { return output_.size(); }

 private:
  Output output_;
  uint64_t accepted_ = 0;
};

}  // namespace sink
