// SPDX-License-Identifier: BSD-2-Clause
#include "text/json_writer.h"

#include <cmath>
#include <iterator>
#include <string>

#include "fxt/utf8.h"
#include "text/clean_text.h"
#include "util/format_library.h"

namespace text {
namespace {

constexpr uint64_t kExactInDouble = uint64_t{1} << 53;

bool NeedsNoEscape(std::string_view text) {
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u >= 0x7f || c == '"' || c == '\\') return false;
  }
  return true;
}

// As a UTF-16 escape, of two units beyond the basic plane.
void AppendUnicodeEscape(fmt::memory_buffer& out, uint32_t code, bool upper_case) {
  const auto append_unit = [&](uint32_t unit) {
    if (upper_case) {
      fmt::format_to(std::back_inserter(out), "\\u{:04X}", unit);
    } else {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit);
    }
  };
  if (code < 0x10000) return append_unit(code);
  append_unit(0xd800 + ((code - 0x10000) >> 10));
  append_unit(0xdc00 + ((code - 0x10000) & 0x3ff));
}

// The letter behind the backslash of a short escape; 0 if the character has none.
char ShortEscape(char32_t code) {
  switch (code) {
    case '"':
    case '\\':
      return static_cast<char>(code);
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return '\0';
  }
}

// `text` is UTF-8.
void AppendEscaped(fmt::memory_buffer& out, std::string_view text, JsonStyle style) {
  const bool ascii = style == JsonStyle::kIndented;
  while (!text.empty()) {
    const Character next = FirstCharacter(text);
    const bool controls = next.code == '\b' || next.code == '\f' || next.code == '\r';
    const char letter = controls && !ascii ? '\0' : ShortEscape(next.code);
    if (letter != '\0') {
      out.push_back('\\');
      out.push_back(letter);
    } else if (ascii ? next.code < 0x20 || next.code >= 0x7f : IsUnseen(next.code)) {
      AppendUnicodeEscape(out, static_cast<uint32_t>(next.code), ascii);
    } else {
      out.append(text.substr(0, next.bytes));
    }
    text.remove_prefix(next.bytes);
  }
}

void AppendString(fmt::memory_buffer& out, std::string_view text, JsonStyle style) {
  out.push_back('"');
  if (NeedsNoEscape(text)) {
    out.append(text);
  } else {
    std::string scratch;
    AppendEscaped(out, fxt::ToValidUtf8(text, scratch), style);
  }
  out.push_back('"');
}

}  // namespace

JsonWriter& JsonWriter::Key(std::string_view key) {
  String(key);
  out_.push_back(':');
  if (indented_) out_.push_back(' ');
  comma_ = false;
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view text) {
  Separate();
  AppendString(out_, text, indented_ ? JsonStyle::kIndented : JsonStyle::kCompact);
  return *this;
}

JsonWriter& JsonWriter::Unsigned(uint64_t value) {
  Separate();
  if (indented_) {
    fmt::format_to(std::back_inserter(out_), "{}", value);
  } else {
    AppendJsonNumber(out_, value);
  }
  return *this;
}

JsonWriter& JsonWriter::Signed(int64_t value) {
  Separate();
  if (indented_) {
    fmt::format_to(std::back_inserter(out_), "{}", value);
  } else {
    AppendJsonNumber(out_, value);
  }
  return *this;
}

JsonWriter& JsonWriter::Double(double value) {
  if (indented_ && !std::isfinite(value)) return Null();
  Separate();
  const size_t from = out_.size();
  AppendJsonNumber(out_, value);
  // A whole number keeps its point, so that readers see a double.
  if (indented_ &&
      std::string_view(out_.data() + from, out_.size() - from).find_first_not_of("-0123456789") ==
          std::string_view::npos) {
    out_.append(std::string_view(".0"));
  }
  return *this;
}

JsonWriter& JsonWriter::Hex(uint64_t value) {
  Separate();
  AppendJsonHex(out_, value);
  return *this;
}

JsonWriter& JsonWriter::Microseconds(uint64_t ns) {
  Separate();
  fmt::format_to(std::back_inserter(out_), "{}.{:03}", ns / 1000, ns % 1000);
  return *this;
}

void JsonWriter::BreakLine() {
  out_.push_back('\n');
  for (size_t i = 0; i < depth_; ++i) out_.append(std::string_view("  "));
}

void AppendJsonString(fmt::memory_buffer& out, std::string_view text) {
  AppendString(out, text, JsonStyle::kCompact);
}

void AppendJsonNumber(fmt::memory_buffer& out, uint64_t value) {
  if (value <= kExactInDouble) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else {
    fmt::format_to(std::back_inserter(out), "\"{}\"", value);
  }
}

void AppendJsonNumber(fmt::memory_buffer& out, int64_t value) {
  const uint64_t size = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  if (size <= kExactInDouble) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else {
    fmt::format_to(std::back_inserter(out), "\"{}\"", value);
  }
}

void AppendJsonNumber(fmt::memory_buffer& out, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else {
    out.append(std::string_view(std::isnan(value) ? "\"NaN\""
                                : value > 0       ? "\"Infinity\""
                                                  : "\"-Infinity\""));
  }
}

void AppendJsonHex(fmt::memory_buffer& out, uint64_t value) {
  fmt::format_to(std::back_inserter(out), "\"0x{:x}\"", value);
}

}  // namespace text
