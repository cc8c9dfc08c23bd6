// SPDX-License-Identifier: BSD-2-Clause
// Writes protobuf messages into a byte buffer: the wire format of the Protocol Buffers
// documentation, "Encoding".
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/utf8.h"

namespace exporting {

// The number of a field in its message.
using FieldNumber = uint32_t;

// Appends fields to one buffer. A nested message is written in place; its length is inserted when
// it ends. Numbers are written as the schema has them: int32 and int64 fields are sign-extended to
// 64 bits.
class ProtoWriter {
 public:
  // A message inside of another one, from its construction to its destruction.
  class Nested {
   public:
    Nested(ProtoWriter& writer, FieldNumber field) : writer_(writer) {
      writer_.Tag(field, kLengthDelimited);
      begin_ = writer_.bytes_.size() + 1;
      writer_.bytes_.push_back(std::byte{0});
    }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() { writer_.SetLength(begin_); }

   private:
    ProtoWriter& writer_;
    size_t begin_ = 0;  // of the message, behind one byte for its length
  };

  // Enumerations, bool and integers.
  template <std::integral Number>
  void Varint(FieldNumber field, Number value) {
    Tag(field, kVarint);
    if constexpr (std::signed_integral<Number>) {
      RawVarint(static_cast<uint64_t>(static_cast<int64_t>(value)));
    } else {
      RawVarint(value);
    }
  }
  void Double(FieldNumber field, double value) {
    Tag(field, kFixed64);
    Raw(std::as_bytes(std::span(&value, 1)));
  }
  void Bytes(FieldNumber field, std::span<const std::byte> value) {
    Tag(field, kLengthDelimited);
    RawVarint(value.size());
    Raw(value);
  }
  // Bytes that are no UTF-8 are replaced: readers may refuse a message that has them.
  void String(FieldNumber field, std::string_view value) {
    Bytes(field, std::as_bytes(std::span(fxt::ToValidUtf8(value, scratch_))));
  }
  // A packed repeated field whose elements are varints already.
  void Packed(FieldNumber field, const std::vector<std::byte>& elements) {
    if (!elements.empty()) Bytes(field, elements);
  }

  std::span<const std::byte> bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  void Clear() { bytes_.clear(); }

  static void AppendVarint(std::vector<std::byte>& bytes, uint64_t value) {
    std::byte encoded[10];
    size_t count = 0;
    while (value >= 0x80) {
      encoded[count++] = static_cast<std::byte>(value | 0x80);
      value >>= 7;
    }
    encoded[count++] = static_cast<std::byte>(value);
    bytes.insert(bytes.end(), encoded, encoded + count);
  }

 private:
  enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2 };

  void Tag(FieldNumber field, WireType type) { RawVarint(uint64_t{field} << 3 | type); }
  void RawVarint(uint64_t value) { AppendVarint(bytes_, value); }
  void Raw(std::span<const std::byte> value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
  }
  // Most messages are shorter than 128 bytes: one byte is there for the length, others are
  // inserted.
  void SetLength(size_t begin) {
    uint64_t length = bytes_.size() - begin;
    size_t more = 0;
    for (uint64_t rest = length >> 7; rest != 0; rest >>= 7) ++more;
    if (more > 0) bytes_.insert(bytes_.begin() + static_cast<ptrdiff_t>(begin), more, std::byte{0});
    for (size_t i = begin - 1; i < begin + more; ++i, length >>= 7) {
      bytes_[i] = static_cast<std::byte>((length & 0x7f) | (i + 1 < begin + more ? 0x80 : 0));
    }
  }

  std::vector<std::byte> bytes_;
  std::string scratch_;
};

}  // namespace exporting
