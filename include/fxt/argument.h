// SPDX-License-Identifier: BSD-2-Clause
// Arguments of events and objects ("Arguments" and "Argument types" of the format document).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "fxt/format.h"
#include "fxt/string_ref.h"

namespace fxt {

struct NullValue {
  friend constexpr bool operator==(NullValue, NullValue) = default;
};
struct PointerValue {
  uint64_t address = 0;
  friend constexpr bool operator==(PointerValue, PointerValue) = default;
};
struct KoidValue {
  Koid koid = 0;
  friend constexpr bool operator==(KoidValue, KoidValue) = default;
};
// Bytes owned by the caller (writing) or the reader (reading). The size field has 32 bits; the
// record limit of 4095 words applies first.
struct BlobValue {
  std::span<const std::byte> bytes;
};
// An argument type this library does not know, skipped by its size (reading only).
struct UnknownValue {
  uint8_t type = 0;
  std::span<const uint64_t> words;  // header word first
};

// The alternatives 0 to 10 are in the order of ArgumentType.
using ArgumentValue =
    std::variant<NullValue, int32_t, uint32_t, int64_t, uint64_t, double, StringRef, PointerValue,
                 KoidValue, bool, BlobValue, UnknownValue>;

// A typed key and value.
struct Argument {
  StringRef name;
  ArgumentValue value;
};

}  // namespace fxt
