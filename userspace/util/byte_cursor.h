// SPDX-License-Identifier: BSD-2-Clause
// Decodes values from untrusted bytes: every step is bounds-checked, and no alignment is assumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

namespace util {

using Bytes = std::span<const std::byte>;

// A view of consecutive `T`s in bytes that may be unaligned.
template <typename T>
class PackedView {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PackedView() = default;
  // Excludes the bytes after the last whole `T`.
  explicit PackedView(Bytes bytes) : bytes_(bytes.first(bytes.size() / sizeof(T) * sizeof(T))) {}

  size_t size() const { return bytes_.size() / sizeof(T); }
  bool empty() const { return bytes_.empty(); }
  T operator[](size_t i) const {
    T value;
    std::memcpy(&value, bytes_.subspan(i * sizeof(T), sizeof(T)).data(), sizeof(T));
    return value;
  }
  Bytes bytes() const { return bytes_; }
  // The first `count` values, or all if there are fewer.
  PackedView first(size_t count) const {
    return count >= size() ? *this : PackedView(bytes_.first(count * sizeof(T)));
  }

  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    iterator(const PackedView* view, size_t i) : view_(view), i_(i) {}
    T operator*() const { return (*view_)[i_]; }
    iterator& operator++() {
      ++i_;
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++i_;
      return before;
    }
    bool operator==(const iterator& other) const { return i_ == other.i_; }

   private:
    const PackedView* view_;
    size_t i_;
  };
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }

 private:
  Bytes bytes_;
};

// Consumes values from the front. A step that does not fit returns false and changes nothing.
class ByteCursor {
 public:
  explicit ByteCursor(Bytes bytes) : rest_(bytes) {}

  size_t remaining() const { return rest_.size(); }
  Bytes rest() const { return rest_; }

  template <typename T>
  bool Read(T* out) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (rest_.size() < sizeof(T)) return false;
    std::memcpy(out, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return true;
  }
  bool Skip(uint64_t bytes) {
    if (bytes > rest_.size()) return false;
    rest_ = rest_.subspan(bytes);
    return true;
  }
  bool Take(uint64_t bytes, Bytes* out) {
    if (bytes > rest_.size()) return false;
    *out = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return true;
  }
  template <typename T>
  bool TakeArray(uint64_t count, PackedView<T>* out) {
    if (count > rest_.size() / sizeof(T)) return false;
    *out = PackedView<T>(rest_.first(count * sizeof(T)));
    rest_ = rest_.subspan(count * sizeof(T));
    return true;
  }

 private:
  Bytes rest_;
};

// Text of a fixed field: up to the first zero byte, or all of it.
inline std::string_view TextUntilZero(Bytes bytes) {
  const char* text = reinterpret_cast<const char*>(bytes.data());
  return {text, bytes.empty() ? 0 : strnlen(text, bytes.size())};
}

}  // namespace util
