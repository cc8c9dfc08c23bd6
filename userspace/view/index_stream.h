// SPDX-License-Identifier: BSD-2-Clause
// Values as bytes of a file, in the order in which they were put. The bytes are those of this
// machine and this version of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "util/content_hash.h"

namespace view {

class IndexWriter {
 public:
  // Writes to `fd` from `offset` on. The descriptor stays the caller's.
  IndexWriter(int fd, uint64_t offset) : fd_(fd), offset_(offset) {}

  void PutBytes(std::span<const std::byte> bytes);
  template <typename Value>
  void Put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    PutBytes(std::as_bytes(std::span(&value, 1)));
  }
  template <typename Entry>
  void PutAll(const std::vector<Entry>& entries) {
    static_assert(std::is_trivially_copyable_v<Entry>);
    Put<uint64_t>(entries.size());
    PutBytes(std::as_bytes(std::span(entries)));
  }
  void PutText(std::string_view text) {
    Put<uint64_t>(text.size());
    PutBytes(std::as_bytes(std::span(text)));
  }

  // Writes what is left. False: something could not be written (errno).
  bool Finish();
  uint64_t bytes() const { return bytes_; }
  util::ContentHash::Value hash() { return hash_.Finish(); }

 private:
  void Flush();

  int fd_;
  uint64_t offset_;
  uint64_t bytes_ = 0;
  bool has_failed_ = false;
  std::vector<std::byte> buffer_;
  util::ContentHash hash_;
};

// After a read that failed all others fail, too.
class IndexReader {
 public:
  // Reads `bytes` bytes of `fd` from `offset` on. The descriptor stays the caller's.
  IndexReader(int fd, uint64_t offset, uint64_t bytes) : fd_(fd), offset_(offset), left_(bytes) {}

  bool GetBytes(std::span<std::byte> into);
  template <typename Value>
  bool Get(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    return GetBytes(std::as_writable_bytes(std::span(&value, 1)));
  }
  // The number of entries that follow, each of at least this many bytes.
  bool GetCount(uint64_t& count, size_t entry_bytes);
  template <typename Entry>
  bool GetAll(std::vector<Entry>& into) {
    static_assert(std::is_trivially_copyable_v<Entry>);
    uint64_t count = 0;
    if (!GetCount(count, sizeof(Entry))) return false;
    into.resize(count);
    return GetBytes(std::as_writable_bytes(std::span(into)));
  }
  bool GetText(std::string& text);

 private:
  bool Fill();

  int fd_;
  uint64_t offset_;
  uint64_t left_;  // bytes that were not given out
  bool has_failed_ = false;
  std::vector<std::byte> buffer_;
  size_t at_ = 0;  // in the buffer
};

}  // namespace view
