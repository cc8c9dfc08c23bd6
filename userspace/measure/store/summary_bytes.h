// SPDX-License-Identifier: BSD-2-Clause
// Numbers and texts of a summary: writing, and reading from untrusted bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace measure {

// Appends to a text of bytes.
class SummaryWriter {
 public:
  // Seven bits a byte, least first; the high bit says that another one follows.
  void Number(uint64_t value);
  void Text(std::string_view text);  // its length, then its bytes
  void Byte(uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// After the first value that is not there or not possible, everything reads as 0 and empty.
class SummaryReader {
 public:
  explicit SummaryReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  uint64_t Number();
  // Above `most` it is an error.
  uint64_t NumberUpTo(uint64_t most);
  // Reads the number of following elements, which have at least `least_bytes` (1 or more) bytes
  // each: more than there are bytes for is an error.
  size_t Count(size_t least_bytes);
  std::string Text();
  uint8_t Byte();
  void Fail() { failed_ = true; }
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

}  // namespace measure
