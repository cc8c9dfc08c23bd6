// SPDX-License-Identifier: BSD-2-Clause
// One file: the magic record, and the providers whose records it holds ("Archives" of the format
// document).
#pragma once

#include <cstdint>
#include <string_view>

#include "fxt/byte_sink.h"
#include "fxt/encoder.h"
#include "fxt/record_buffer.h"

namespace fxt {

// Writes the magic record and the provider records that separate the sections of providers. Inserts
// a provider section record whenever the next record belongs to another provider.
class ArchiveWriter {
 public:
  static constexpr uint64_t kTicksPerSecond = 1'000'000'000;

  // Writes the magic record. `sink` must outlive the archive; see RecordBuffer for `chunk_bytes`.
  explicit ArchiveWriter(ByteSink& sink, size_t chunk_bytes = RecordBuffer::kDefaultChunkBytes);

  // Opens a provider with an id that is new in this archive: provider info, provider section, and
  // initialization with kTicksPerSecond. The records that follow belong to it. `name` has at most
  // 255 bytes. Returns the id; a failure of the sink shows at the next record.
  uint32_t OpenProvider(std::string_view name);

  // Makes provider `id` the current one. Writes a provider section record if it is not yet.
  EncodeStatus Enter(uint32_t id) {
    if (id == current_) [[likely]] {
      return EncodeStatus::kOk;
    }
    return WriteSection(id);
  }

  // The provider of a record written now; 0 before the first.
  uint32_t current_provider() const { return current_; }
  // The number of provider section records, including those that opened a provider.
  uint64_t sections() const { return sections_; }

  // Passes all written records to the sink. False if the sink failed, now or before.
  bool Flush() { return buffer_.Flush(); }
  bool failed() const { return buffer_.failed(); }
  uint64_t bytes() const { return buffer_.bytes_committed(); }

  // For records that belong to no provider, and for writers with tables of their own.
  Encoder& encoder() { return encoder_; }

 private:
  EncodeStatus WriteSection(uint32_t id);

  RecordBuffer buffer_;
  Encoder encoder_;
  uint32_t current_ = 0;
  uint32_t last_id_ = 0;
  uint64_t sections_ = 0;
};

}  // namespace fxt
