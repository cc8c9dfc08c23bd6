// SPDX-License-Identifier: BSD-2-Clause
// A value of a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tables {

// NULL, a whole number, a real number, or a text that the cell does not own.
struct Cell {
  enum class Kind : uint8_t { kNull, kInteger, kReal, kText };

  union {
    int64_t integer = 0;
    double real;
    const char* text;
  };
  uint32_t bytes = 0;  // of text
  Kind kind = Kind::kNull;

  bool is_null() const { return kind == Kind::kNull; }
  std::string_view view() const { return {text, bytes}; }

  void SetNull() { kind = Kind::kNull; }
  // Larger values become the largest one that fits.
  void Set(uint64_t value) {
    kind = Kind::kInteger;
    integer = static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX));
  }
  // A number that refers to something else. Numbers from 2^63 on keep their bits and become
  // negative, so that two threads keep different numbers.
  void SetId(uint64_t value) { Set(static_cast<int64_t>(value)); }
  void SetId(const std::optional<uint64_t>& value) {
    if (value) {
      SetId(*value);
    } else {
      SetNull();
    }
  }
  void Set(int64_t value) {
    kind = Kind::kInteger;
    integer = value;
  }
  void Set(double value) {
    kind = Kind::kReal;
    real = value;
  }
  // The text must outlive the cell.
  void Set(std::string_view value) {
    kind = Kind::kText;
    text = value.data();
    bytes = static_cast<uint32_t>(std::min<size_t>(value.size(), UINT32_MAX));
  }
  template <typename Value>
  void Set(const std::optional<Value>& value) {
    if (value) {
      Set(*value);
    } else {
      SetNull();
    }
  }
};

}  // namespace tables
