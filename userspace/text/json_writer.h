// SPDX-License-Identifier: BSD-2-Clause
// Writes JSON (RFC 8259) to a buffer, piece by piece.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace text {

enum class JsonStyle : uint8_t {
  // No spaces. Integers beyond 2^53 are strings of their digits, since JavaScript keeps numbers as
  // doubles. "NaN", "Infinity" and "-Infinity" are strings. Characters that change a terminal's
  // state are escaped (clean_text.h); other UTF-8 is kept.
  kCompact,
  // One member or element a line, indented by two spaces. Integers stay numbers, a double that is
  // not finite is null, and all characters beyond ASCII are escaped.
  kIndented,
};

// Appends JSON to a buffer that the caller owns, with the commas and line breaks of its style. The
// caller alternates keys and values and matches each Begin with an End.
// Bytes that are not UTF-8 become U+FFFD.
class JsonWriter {
 public:
  explicit JsonWriter(fmt::memory_buffer& out, JsonStyle style = JsonStyle::kCompact)
      : out_(out), indented_(style == JsonStyle::kIndented) {}

  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  JsonWriter& Key(std::string_view key);

  JsonWriter& String(std::string_view text);
  JsonWriter& Unsigned(uint64_t value);
  JsonWriter& Signed(int64_t value);
  // The shortest text that reads back as the same number.
  JsonWriter& Double(double value);
  JsonWriter& Bool(bool value) { return Json(value ? "true" : "false"); }
  JsonWriter& Null() { return Json("null"); }
  // "0x..." as a string.
  JsonWriter& Hex(uint64_t value);
  // Microseconds with three decimals, exactly.
  JsonWriter& Microseconds(uint64_t ns);
  // Appends `text`, which is a JSON value, unchanged.
  JsonWriter& Json(std::string_view text) {
    Separate();
    out_.append(text);
    return *this;
  }

  // Members of an object.
  JsonWriter& String(std::string_view key, std::string_view text) { return Key(key).String(text); }
  JsonWriter& Unsigned(std::string_view key, uint64_t value) { return Key(key).Unsigned(value); }
  JsonWriter& Bool(std::string_view key, bool value) { return Key(key).Bool(value); }

  // Compact style: puts a line break before the next element.
  JsonWriter& Line() {
    line_ = true;
    return *this;
  }
  // Prepares for elements of another writer, if there are `any`; its first one has no comma.
  void Spliced(bool any) {
    if (any) Separate();
  }

 private:
  JsonWriter& Open(char bracket) {
    Separate();
    out_.push_back(bracket);
    comma_ = false;
    ++depth_;
    return *this;
  }
  JsonWriter& Close(char bracket) {
    --depth_;
    if (indented_ && comma_) BreakLine();
    out_.push_back(bracket);
    comma_ = true;
    return *this;
  }
  void Separate() {
    if (comma_) out_.push_back(',');
    if (line_) out_.push_back('\n');
    if (indented_ && depth_ != 0 && !after_key_) BreakLine();
    comma_ = true;
    line_ = false;
    after_key_ = false;
  }
  void BreakLine();

  fmt::memory_buffer& out_;
  const bool indented_;
  bool comma_ = false;  // the next element needs one before it
  bool line_ = false;
  bool after_key_ = false;
  size_t depth_ = 0;
};

// The values of the compact style, for callers that write them without a JsonWriter.
void AppendJsonString(fmt::memory_buffer& out, std::string_view text);
void AppendJsonNumber(fmt::memory_buffer& out, uint64_t value);
void AppendJsonNumber(fmt::memory_buffer& out, int64_t value);
void AppendJsonNumber(fmt::memory_buffer& out, double value);
void AppendJsonHex(fmt::memory_buffer& out, uint64_t value);

}  // namespace text
