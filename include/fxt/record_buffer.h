// SPDX-License-Identifier: BSD-2-Clause
// Gathers encoded records and hands them to a sink in large chunks.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "fxt/byte_sink.h"

namespace fxt {

// A record is put together in words that Reserve() gives and becomes part of the output with
// Commit(); what is not committed never reaches the sink. So the sink sees whole records alone.
// Reserving allocates nothing, a record longer than a chunk excepted.
class RecordBuffer {
 public:
  static constexpr size_t kDefaultChunkBytes = 256 * 1024;

  // `sink` must outlive the buffer. `chunk_bytes` is rounded up to whole words; at least one.
  explicit RecordBuffer(ByteSink& sink, size_t chunk_bytes = kDefaultChunkBytes);
  RecordBuffer(const RecordBuffer&) = delete;
  RecordBuffer& operator=(const RecordBuffer&) = delete;
  // Hands over what is left, as Flush().
  ~RecordBuffer();

  // Room for `words` words, not initialized. nullptr after the sink failed, or when there is no
  // memory for a record longer than a chunk. A second call without Commit() starts over.
  uint64_t* Reserve(size_t words) {
    if (static_cast<size_t>(end_ - next_) >= words) [[likely]] {
      return next_;
    }
    return ReserveSlowly(words);
  }

  // Makes the first `words` words of the last reservation a part of the output.
  void Commit(size_t words) {
    assert(static_cast<size_t>(end_ - next_) >= words);
    next_ += words;
  }

  // The same for who knows where the record ends: `end` is behind its last word.
  void CommitUpTo(uint64_t* end) { next_ = end; }

  // Hands everything committed to the sink. False when the sink failed, now or before.
  bool Flush();

  // The sink refused a chunk. It is not called again, and what was committed since its last
  // success is lost.
  bool failed() const { return failed_; }
  // Bytes committed since the beginning, lost ones included.
  uint64_t bytes_committed() const { return handed_over_ + lost_ + pending_bytes(); }
  // Bytes the sink has taken.
  uint64_t bytes_handed_over() const { return handed_over_; }

 private:
  uint64_t pending_bytes() const {
    return static_cast<uint64_t>(next_ - begin_) * sizeof(uint64_t);
  }
  uint64_t* ReserveSlowly(size_t words);

  ByteSink& sink_;
  const size_t chunk_words_;
  std::unique_ptr<uint64_t[]> chunk_;
  // Holds one record longer than a chunk until it is handed over.
  std::unique_ptr<uint64_t[]> oversized_;
  uint64_t* begin_;
  uint64_t* next_;
  uint64_t* end_;
  uint64_t handed_over_ = 0;
  uint64_t lost_ = 0;
  bool failed_ = false;
};

}  // namespace fxt
