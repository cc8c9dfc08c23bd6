// SPDX-License-Identifier: BSD-2-Clause
// Writes records to a gzip file of many members (RFC 1952).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sink/block_compressor.h"
#include "sink/output.h"
#include "sink/sink.h"

namespace sink {

struct GzipEffort {
  // 0 (stored) to 12, see BlockCompressor. A recorder needs the speed of level 1.
  int level = 1;
  // Lowers the level, down to stored blocks, as the queue before this sink fills (SetPressure).
  bool may_fall = false;
};

// Members end at record boundaries, except within records longer than a member, and are written
// whole: the output of a killed recorder unpacks to whole records, up to a last member that was cut
// short. After a write error (disk full) a regular file is cut back to the last whole member.
//
// Compresses in the caller's thread; see AsyncSink.
class GzipSink final : public Sink {
 public:
  explicit GzipSink(Output output, GzipEffort effort = {});
  ~GzipSink() override;

  bool Write(std::span<const std::byte> records) override;
  bool Flush() override;
  util::Status Close() override;
  void SetPressure(double queue_fill) override { pressure_ = queue_fill; }
  uint64_t bytes_accepted() const override { return bytes_in_ + (failed_ ? 0 : pending_.size()); }
  uint64_t bytes_on_disk() const override { return output_.size(); }

 private:
  int Level() const;
  // `bytes` are whole records.
  bool WriteMember(std::span<const std::byte> bytes);
  bool WritePending();
  bool WriteEnd();

  Output output_;
  const GzipEffort effort_;
  double pressure_ = 0;
  BlockCompressor compressor_;
  bool failed_ = false;
  bool closed_ = false;
  bool no_memory_ = false;
  uint64_t bytes_in_ = 0;           // bytes of records in written members
  std::vector<std::byte> pending_;  // records for the next member
};

}  // namespace sink
