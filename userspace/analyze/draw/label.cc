// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/label.h"

#include "text/clean_text.h"

namespace analyze {
namespace {

constexpr std::string_view kMore = "…";

double WidthOf(char32_t code) {
  constexpr std::string_view kNarrow = " ijl.,:;|'!()[]/\\tfrI-`";
  if (code >= 0x80) return code == 0x2026 ? 1.0 : 1.35;
  const char c = static_cast<char>(code);
  if (kNarrow.find(c) != std::string_view::npos) return 0.42;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 1.01;
  if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_') return 0.65;
  if (c >= 'A' && c <= 'Z') return 0.79;
  return 0.85;
}

}  // namespace

double LabelWidth(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const text::Character character = text::FirstCharacter(text);
    width += WidthOf(character.code);
    text.remove_prefix(character.bytes);
  }
  return width;
}

std::string FittedLabel(std::string_view text, double room, double size) {
  if (LabelWidth(text) * size <= room) return std::string(text);
  const double left = room / size - LabelWidth(kMore);
  double width = 0;
  size_t bytes = 0;
  size_t letters = 0;
  while (bytes < text.size()) {
    const text::Character character = text::FirstCharacter(text.substr(bytes));
    width += WidthOf(character.code);
    if (width > left) break;
    bytes += character.bytes;
    ++letters;
  }
  if (letters < 3) return "";
  return std::string(text.substr(0, bytes)) + std::string(kMore);
}

std::string XmlText(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const text::Character character = text::FirstCharacter(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
    const bool has_place = character.valid && character.code >= 0x20 && character.code != 0xfffe &&
                           character.code != 0xffff;
    if (!has_place) {
      escaped += '?';
    } else if (bytes == "&") {
      escaped += "&amp;";
    } else if (bytes == "<") {
      escaped += "&lt;";
    } else if (bytes == ">") {
      escaped += "&gt;";
    } else if (bytes == "\"") {
      escaped += "&quot;";
    } else {
      escaped += bytes;
    }
  }
  return escaped;
}

}  // namespace analyze
