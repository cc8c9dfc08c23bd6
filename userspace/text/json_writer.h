// SPDX-License-Identifier: BSD-2-Clause
// Writes JSON piece by piece, without holding a document.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "text/json_text.h"

namespace text {

// Puts the commas; that keys and values alternate and ends match is the caller's.
class JsonWriter {
 public:
  explicit JsonWriter(fmt::memory_buffer& out) : out_(out) {}

  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  // A line break before the next element; elements of long arrays stand on lines of their own.
  JsonWriter& Line() {
    line_ = true;
    return *this;
  }
  // Elements that another writer made are going to be appended here (its first one has no comma).
  void Spliced(bool any) {
    if (any) Separate();
  }
  JsonWriter& Key(std::string_view key) {
    Separate();
    AppendJsonString(out_, key);
    out_.push_back(':');
    comma_ = false;
    return *this;
  }

  JsonWriter& String(std::string_view text) { return Value(text, AppendJsonString); }
  JsonWriter& Hex(uint64_t value) { return Value(value, AppendJsonHex); }
  JsonWriter& Microseconds(uint64_t ns) { return Value(ns, AppendJsonMicroseconds); }
  JsonWriter& Unsigned(uint64_t value) {
    Separate();
    AppendJsonNumber(out_, value);
    return *this;
  }
  JsonWriter& Signed(int64_t value) {
    Separate();
    AppendJsonNumber(out_, value);
    return *this;
  }
  JsonWriter& Double(double value) {
    Separate();
    AppendJsonNumber(out_, value);
    return *this;
  }
  JsonWriter& Bool(bool value) {
    Separate();
    out_.append(std::string_view(value ? "true" : "false"));
    return *this;
  }
  // `text` is a JSON value, as it is.
  JsonWriter& Json(std::string_view text) {
    Separate();
    out_.append(text);
    return *this;
  }
  JsonWriter& Null() {
    Separate();
    out_.append(std::string_view("null"));
    return *this;
  }

 private:
  template <typename T>
  JsonWriter& Value(T value, void (*append)(fmt::memory_buffer&, T)) {
    Separate();
    append(out_, value);
    return *this;
  }
  JsonWriter& Open(char bracket) {
    Separate();
    out_.push_back(bracket);
    comma_ = false;
    return *this;
  }
  JsonWriter& Close(char bracket) {
    out_.push_back(bracket);
    comma_ = true;
    return *this;
  }
  void Separate() {
    if (comma_) out_.push_back(',');
    if (line_) out_.push_back('\n');
    comma_ = true;
    line_ = false;
  }

  fmt::memory_buffer& out_;
  bool comma_ = false;
  bool line_ = false;
};

}  // namespace text
