// SPDX-License-Identifier: BSD-2-Clause
// Records to a gzip file (RFC 1952), through zlib.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sink/output.h"
#include "sink/sink.h"

namespace sink {

// After Flush() everything taken so far can be unpacked from what is in the output, even though the
// end of the gzip file is missing (zcat prints it and then complains). Close() writes the end.
// When a regular file cannot be written any further (disk full), it is cut back to the last such
// point and ended properly there.
//
// Compresses in the caller's thread; see AsyncSink.
class GzipSink final : public Sink {
 public:
  // A trace is written while it is recorded, so speed comes first; what the higher levels gain
  // bench-encoder shows.
  static constexpr int kDefaultLevel = 1;
  // Bytes of records after which the output is brought to such a point even without Flush().
  static constexpr uint64_t kMaxUnflushedBytes = 1024 * 1024;

  // `level` is zlib's, 1 to 9.
  explicit GzipSink(Output output, int level = kDefaultLevel);
  ~GzipSink() override;

  bool Write(std::span<const std::byte> records) override;
  bool Flush() override;
  util::Status Close() override;
  uint64_t bytes_accepted() const override { return now_.bytes_in; }
  uint64_t bytes_on_disk() const override { return output_.size(); }

 private:
  // A state of the output that can be gone back to.
  struct Point {
    uint64_t bytes_in = 0;   // of records
    uint64_t bytes_out = 0;  // of the file
    uLong crc = 0;           // of the records
  };

  bool Deflate(std::span<const std::byte> bytes, int flush);
  // Ends the file at `flushed_`.
  bool WriteTrailer();
  void GoBackToFlushed();

  Output output_;
  z_stream stream_ = {};
  bool stream_ready_ = false;
  bool failed_ = false;
  bool closed_ = false;
  Point now_;
  Point flushed_;
  std::vector<std::byte> compressed_;
};

}  // namespace sink
