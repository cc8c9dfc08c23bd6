// SPDX-License-Identifier: BSD-2-Clause
// Writes values to a file and reads them in the same order. The format depends on the machine's
// byte order and the version of the program.
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
  // Writes to `fd` from `offset` on. The caller owns the descriptor.
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

  // Writes buffered data. False: a write has failed (errno).
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

// After a failed read all further reads fail.
class IndexReader {
 public:
  // Reads `bytes` bytes of `fd` from `offset` on. The caller owns the descriptor.
  IndexReader(int fd, uint64_t offset, uint64_t bytes) : fd_(fd), offset_(offset), left_(bytes) {}

  bool GetBytes(std::span<std::byte> into);
  template <typename Value>
  bool Get(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    return GetBytes(std::as_writable_bytes(std::span(&value, 1)));
  }
  // Reads the number of following entries. Fails if entries of `entry_bytes` each exceed the rest.
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
  uint64_t left_;  // bytes not returned yet
  bool has_failed_ = false;
  std::vector<std::byte> buffer_;
  size_t at_ = 0;  // position in the buffer
};

}  // namespace view
