// SPDX-License-Identifier: BSD-2-Clause
#include "text/json_text.h"

#include <cmath>
#include <iterator>
#include <string>

#include "fxt/utf8.h"

namespace text {
namespace {

constexpr uint64_t kExactInDouble = uint64_t{1} << 53;

bool NeedsEscape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == 0x7f;
}

bool IsPlain(std::string_view text) {
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80 || NeedsEscape(c)) return false;
  }
  return true;
}

void AppendEscaped(fmt::memory_buffer& out, char c) {
  switch (c) {
    case '"':
      out.append(std::string_view("\\\""));
      return;
    case '\\':
      out.append(std::string_view("\\\\"));
      return;
    case '\n':
      out.append(std::string_view("\\n"));
      return;
    case '\t':
      out.append(std::string_view("\\t"));
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

void AppendJsonString(fmt::memory_buffer& out, std::string_view text) {
  out.push_back('"');
  if (IsPlain(text)) {
    out.append(text);
  } else {
    std::string scratch;
    for (char c : fxt::ToValidUtf8(text, scratch)) {
      if (NeedsEscape(c)) {
        AppendEscaped(out, c);
      } else {
        out.push_back(c);
      }
    }
  }
  out.push_back('"');
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

void AppendJsonMicroseconds(fmt::memory_buffer& out, uint64_t ns) {
  fmt::format_to(std::back_inserter(out), "{}.{:03}", ns / 1000, ns % 1000);
}

}  // namespace text
