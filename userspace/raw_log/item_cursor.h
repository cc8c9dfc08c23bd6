// SPDX-License-Identifier: BSD-2-Clause
// Takes an item of a raw log apart. What does not fit leaves its target as it was, and all after
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "util/byte_cursor.h"

namespace raw_log {

class ItemCursor {
 public:
  explicit ItemCursor(util::Bytes item) : cursor_(item) {}

  template <typename T>
  ItemCursor& Value(T* value) {
    ok_ = ok_ && cursor_.Read(value);
    return *this;
  }
  template <typename T>
  ItemCursor& Maybe(std::optional<T>* value) {
    uint8_t has = 0;
    T read{};
    Value(&has).Value(&read);
    if (ok_ && has != 0) *value = read;
    return *this;
  }
  // Views the item.
  ItemCursor& Bytes(util::Bytes* bytes) {
    uint32_t size = 0;
    Value(&size);
    ok_ = ok_ && cursor_.Take(size, bytes);
    return *this;
  }
  ItemCursor& Text(std::string_view* text) {
    util::Bytes bytes;
    Bytes(&bytes);
    if (ok_) *text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    return *this;
  }
  template <typename T>
  ItemCursor& Values(std::vector<T>* values) {
    util::Bytes bytes;
    Bytes(&bytes);
    ok_ = ok_ && bytes.size() % sizeof(T) == 0;
    if (!ok_) return *this;
    for (const T value : util::PackedView<T>(bytes)) values->push_back(value);
    return *this;
  }

  bool has_more() const { return ok_ && cursor_.remaining() > 0; }
  // Everything was there, and nothing else.
  bool IsWhole() const { return ok_ && cursor_.remaining() == 0; }

 private:
  util::ByteCursor cursor_;
  bool ok_ = true;
};

}  // namespace raw_log
