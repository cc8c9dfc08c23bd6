// SPDX-License-Identifier: BSD-2-Clause
#include "text/json_text.h"

#include <cmath>
#include <iterator>
#include <string>

#include "fxt/utf8.h"
#include "text/clean_text.h"
#include "util/format_library.h"

namespace text {
namespace {

constexpr uint64_t kExactInDouble = uint64_t{1} << 53;

bool IsPlain(std::string_view text) {
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u >= 0x7f || c == '"' || c == '\\') return false;
  }
  return true;
}

void AppendEscaped(fmt::memory_buffer& out, char32_t character) {
  const auto code = static_cast<uint32_t>(character);
  const auto unit = [&](uint32_t value) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", value);
  };
  if (code == '\n') {
    out.append(std::string_view("\\n"));
  } else if (code == '\t') {
    out.append(std::string_view("\\t"));
  } else if (code < 0x10000) {
    unit(code);
  } else {
    unit(0xd800 + ((code - 0x10000) >> 10));
    unit(0xdc00 + ((code - 0x10000) & 0x3ff));
  }
}

void AppendCharacters(fmt::memory_buffer& out, std::string_view text) {
  while (!text.empty()) {
    const Character next = FirstCharacter(text);
    if (next.code == '"' || next.code == '\\') {
      out.push_back('\\');
      out.push_back(text.front());
    } else if (IsUnseen(next.code)) {
      AppendEscaped(out, next.code);
    } else {
      out.append(text.substr(0, next.bytes));
    }
    text.remove_prefix(next.bytes);
  }
}

}  // namespace

void AppendJsonString(fmt::memory_buffer& out, std::string_view text) {
  out.push_back('"');
  if (IsPlain(text)) {
    out.append(text);
  } else {
    std::string scratch;
    AppendCharacters(out, fxt::ToValidUtf8(text, scratch));
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
