// SPDX-License-Identifier: BSD-2-Clause
// Writes JSON that people read too: a member or an element a line, indented by two spaces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace text {

// All of it is ASCII: other characters are escaped, and what is not UTF-8 becomes U+FFFD. That keys
// and values alternate and ends match is the caller's. Numbers stay numbers, whatever their size.
class PrettyJson {
 public:
  PrettyJson();
  ~PrettyJson();
  PrettyJson(const PrettyJson&) = delete;
  PrettyJson& operator=(const PrettyJson&) = delete;

  PrettyJson& BeginObject();
  PrettyJson& EndObject();
  PrettyJson& BeginArray();
  PrettyJson& EndArray();
  PrettyJson& Key(std::string_view key);

  PrettyJson& String(std::string_view text);
  PrettyJson& Unsigned(uint64_t value);
  PrettyJson& Signed(int64_t value);
  // Null for what is no finite number: JSON has no others.
  PrettyJson& Double(double value);
  PrettyJson& Bool(bool value);
  PrettyJson& Null();

  // A member of an object.
  PrettyJson& String(std::string_view key, std::string_view text) { return Key(key).String(text); }
  PrettyJson& Unsigned(std::string_view key, uint64_t value) { return Key(key).Unsigned(value); }
  PrettyJson& Bool(std::string_view key, bool value) { return Key(key).Bool(value); }

  // What was written so far, without a line feed behind it.
  std::string Text() const;

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace text
