// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/unescape.h"

#include <charconv>
#include <cstdint>
#include <optional>

namespace importer {
namespace {

std::optional<uint32_t> Hex4(std::string_view text) {
  uint32_t value = 0;
  if (text.size() < 4) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
  if (error != std::errc() || end != text.data() + 4) return std::nullopt;
  return value;
}

void AppendUtf8(uint32_t c, std::string& out) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80 | (c >> shift & 0x3f)));
  };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xc0 | c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xe0 | c >> 12));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xf0 | c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace

void Unescape(std::string_view packed, std::string& out) {
  constexpr std::string_view kPacked = "\"\\/bfnrt";
  constexpr std::string_view kUnpacked = "\"\\/\b\f\n\r\t";
  constexpr uint32_t kReplacement = 0xfffd;
  out.clear();
  for (size_t i = 0; i < packed.size(); ++i) {
    if (packed[i] != '\\' || i + 1 == packed.size()) {
      out.push_back(packed[i]);
      continue;
    }
    const size_t known = kPacked.find(packed[i + 1]);
    if (known != std::string_view::npos) {
      out.push_back(kUnpacked[known]);
      ++i;
      continue;
    }
    auto c = packed[i + 1] == 'u' ? Hex4(packed.substr(i + 2)) : std::nullopt;
    if (!c) {
      out.push_back('\\');
      continue;
    }
    i += 5;
    if (*c >= 0xd800 && *c < 0xdc00 && packed.substr(i + 1).starts_with("\\u")) {
      const auto low = Hex4(packed.substr(i + 3));
      if (low && *low >= 0xdc00 && *low < 0xe000) {
        c = 0x10000 + ((*c - 0xd800) << 10) + (*low - 0xdc00);
        i += 6;
      }
    }
    AppendUtf8(*c >= 0xd800 && *c < 0xe000 ? kReplacement : *c, out);
  }
}

}  // namespace importer
