// SPDX-License-Identifier: BSD-2-Clause
// Writes the atoms of a record ("Atoms" of the format document) into reserved words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fxt/format.h"
#include "fxt/string_ref.h"
#include "fxt/thread_ref.h"

namespace fxt {

class WordWriter {
 public:
  explicit WordWriter(uint64_t* next) : next_(next) {}

  void Word(uint64_t word) { *next_++ = word; }

  void Words(const uint64_t* words, size_t count) {
    if (count == 0) return;
    std::memcpy(next_, words, count * kWordBytes);
    next_ += count;
  }

  // `bytes` bytes, padded with zeros.
  void Stream(const void* data, size_t bytes) {
    if (bytes == 0) return;
    const size_t words = WordsForBytes(bytes);
    next_[words - 1] = 0;
    std::memcpy(next_, data, bytes);
    next_ += words;
  }

  // The text of `ref` if it is inline.
  void String(const StringRef& ref) {
    if (ref.is_inline()) Stream(ref.text.data(), ref.text.size());
  }

  // Process and thread of `ref` if it is inline.
  void Thread(const ThreadRef& ref) {
    if (!ref.is_inline()) return;
    Word(ref.process);
    Word(ref.thread);
  }

  const uint64_t* next() const { return next_; }

 private:
  uint64_t* next_;
};

}  // namespace fxt
