// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/record_buffer.h"

#include <algorithm>
#include <new>
#include <span>

#include "fxt/format.h"

namespace fxt {

RecordBuffer::RecordBuffer(ByteSink& sink, size_t chunk_bytes)
    : sink_(sink),
      chunk_words_(std::max<size_t>(WordsForBytes(chunk_bytes), 1)),
      chunk_(new uint64_t[chunk_words_]),
      begin_(chunk_.get()),
      next_(begin_),
      end_(begin_ + chunk_words_) {}

RecordBuffer::~RecordBuffer() { Flush(); }

bool RecordBuffer::Flush() {
  if (failed_) return false;
  const uint64_t bytes = pending_bytes();
  if (bytes != 0) {
    if (sink_.Write(std::as_bytes(std::span<const uint64_t>(begin_, next_)))) {
      handed_over_ += bytes;
    } else {
      failed_ = true;
      lost_ += bytes;
    }
  }
  oversized_.reset();
  begin_ = next_ = chunk_.get();
  // After a failure every reservation reaches ReserveSlowly(), which refuses it.
  end_ = failed_ ? begin_ : begin_ + chunk_words_;
  return !failed_;
}

uint64_t* RecordBuffer::ReserveSlowly(size_t words) {
  if (!Flush()) return nullptr;
  if (words <= chunk_words_) return next_;
  oversized_.reset(new (std::nothrow) uint64_t[words]);
  if (!oversized_) return nullptr;
  begin_ = next_ = oversized_.get();
  end_ = begin_ + words;
  return next_;
}

}  // namespace fxt
