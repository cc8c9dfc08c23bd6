// SPDX-License-Identifier: BSD-2-Clause
// Values by dense numbers.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace facts {

// A vector that grows to the requested index; unused entries are `Value{}`. Each record asks it
// several times, so the check is one comparison, which that of a vector, whose size is a difference
// divided by the size of a value, is not.
template <typename Value>
class DenseTable {
 public:
  DenseTable() = default;
  DenseTable(DenseTable&& other) noexcept
      : first_(std::exchange(other.first_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        values_(std::move(other.values_)) {}
  DenseTable& operator=(DenseTable&&) = delete;

  // References are valid until a higher number than ever before is asked for.
  Value& At(size_t number) {
    if (number >= size_) [[unlikely]] {
      Grow(number + 1);
    }
    return first_[number];
  }
  // The same; up to `number`, those that are new are like `fresh`.
  Value& At(size_t number, const Value& fresh) {
    if (number >= size_) [[unlikely]] {
      Grow(number + 1, fresh);
    }
    return first_[number];
  }

  size_t size() const { return size_; }
  // `number` is below size().
  Value& operator[](size_t number) { return first_[number]; }
  const Value& operator[](size_t number) const { return first_[number]; }
  const std::vector<Value>& values() const { return values_; }
  std::vector<Value>& values() { return values_; }  // not to be resized

 private:
  template <typename... Fresh>
  [[gnu::noinline, gnu::cold]] void Grow(size_t size, const Fresh&... fresh) {
    values_.resize(size, fresh...);
    first_ = values_.data();
    size_ = size;
  }

  Value* first_ = nullptr;
  size_t size_ = 0;
  std::vector<Value> values_;
};

}  // namespace facts
