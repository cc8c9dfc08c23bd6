// SPDX-License-Identifier: BSD-2-Clause
// The result of a function that can fail: a value, or an Error for the user.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace util {

// `message` is one line: what failed and why. `hint` is the remedy, or empty.
struct Error {
  std::string message;
  std::string hint;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }
  Error TakeError() { return std::move(std::get<1>(state_)); }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;
inline Status Ok() { return Done{}; }

}  // namespace util
