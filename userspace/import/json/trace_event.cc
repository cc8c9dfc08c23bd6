// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/trace_event.h"

#include <fmt/format.h>

#include <charconv>
#include <type_traits>

namespace importer {

// Assigning a trivially copyable base clears all fields faster than one by one.
static_assert(std::is_trivially_copyable_v<TraceEventFields>);

void TraceEvent::Clear() {
  static const TraceEventFields kNone;
  static_cast<TraceEventFields&>(*this) = kNone;
  // The vectors keep their memory.
  arguments.clear();
  extra.clear();
  unknown.clear();
}

const JsonValue* Find(const std::vector<JsonMember>& members, std::string_view name) {
  for (const JsonMember& member : members) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

std::optional<int64_t> IntegerOf(const JsonValue* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<int64_t>(value)) return *number;
  if (const auto* number = std::get_if<double>(value)) {
    if (*number > -9e18 && *number < 9e18) return static_cast<int64_t>(*number);
  }
  return std::nullopt;
}

std::string_view TextOf(const JsonValue* value) {
  const auto* text = value == nullptr ? nullptr : std::get_if<std::string_view>(value);
  return text == nullptr ? std::string_view() : *text;
}

std::string IdText(const JsonValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  if (const auto* number = std::get_if<int64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<uint64_t>(&value)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return {};
}

std::optional<uint64_t> IdNumber(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace importer
