// SPDX-License-Identifier: BSD-2-Clause
// Collects encoded records and passes them to a sink in large chunks.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "fxt/byte_sink.h"

namespace fxt {

// Reserve() returns the words of a record and Commit() makes them part of the output. Words that
// are not committed never reach the sink, so the sink receives whole records only. Allocates only
// for a record longer than a chunk.
class RecordBuffer {
 public:
  static constexpr size_t kDefaultChunkBytes = 256 * 1024;

  // `sink` must outlive the buffer. `chunk_bytes` is rounded up to whole words; at least one.
  explicit RecordBuffer(ByteSink& sink, size_t chunk_bytes = kDefaultChunkBytes);
  RecordBuffer(const RecordBuffer&) = delete;
  RecordBuffer& operator=(const RecordBuffer&) = delete;
  // Flushes.
  ~RecordBuffer();

  // `words` uninitialized words. Null after the sink failed, or without memory for a record longer
  // than a chunk. A second call without Commit() replaces the first.
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

  // The same by the address behind the last word of the record.
  void CommitUpTo(uint64_t* end) { next_ = end; }

  // Passes all committed records to the sink. False if the sink failed, now or before.
  bool Flush();

  // The sink refused a chunk. It is not called again; records committed since its last success are
  // lost.
  bool failed() const { return failed_; }
  // Bytes committed since the start, lost ones included.
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
