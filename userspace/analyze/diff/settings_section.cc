// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/diff/settings_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "measure/settings.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

using comparison::SettingDifference;
using document::Value;

// Texts longer than this are cut in text and Markdown.
constexpr size_t kWidestValue = 60;
constexpr size_t kHashDigits = 8;

// "process redis-server", "the machine".
std::string SubjectWords(const SettingDifference& of) {
  if (of.subject.empty()) return "the machine";
  return fmt::format("{} {}", schema::NameOf(of.scope), of.shown);
}

// The words behind those that both texts begin with.
std::pair<std::string, std::string> WithoutCommonHead(std::string base, std::string next) {
  size_t common = 0;
  for (size_t i = 0; i < std::min(base.size(), next.size()) && base[i] == next[i]; ++i) {
    if (base[i] == ' ') common = i + 1;
  }
  if (common == 0 || std::max(base.size(), next.size()) <= kWidestValue) return {base, next};
  return {"... " + base.substr(common), "... " + next.substr(common)};
}

std::string Cut(std::string text) {
  text = text::CleanText(text);
  if (text.size() <= kWidestValue) return text;
  size_t end = kWidestValue - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::pair<std::string, std::string> ValueWords(const SettingDifference& of) {
  constexpr const char* kNotSet = "not set";
  if (of.name.starts_with(schema::setting::kEnvironment)) {
    const auto hash = [](const std::optional<std::string>& value) {
      return value ? "hash " + value->substr(0, kHashDigits) : kNotSet;
    };
    return {hash(of.base), hash(of.next)};
  }
  const bool is_library = of.name.starts_with(schema::setting::kLibrary);
  const auto text = [&](const std::optional<std::string>& value) {
    if (!value) return std::string(is_library ? "not loaded" : kNotSet);
    return value->empty() ? std::string("empty") : *value;
  };
  auto [base, next] = WithoutCommonHead(text(of.base), text(of.next));
  return {Cut(std::move(base)), Cut(std::move(next))};
}

}  // namespace

std::string SettingWords(const SettingDifference& setting) {
  const auto [base, next] = ValueWords(setting);
  const std::string name = Cut(setting.name);
  const std::string_view whole = setting.name;
  const size_t of_thread = whole.find(measure::kOfThread);
  if (whole.substr(0, of_thread) == schema::setting::kThreads) {
    const std::string thread =
        of_thread == std::string_view::npos
            ? ""
            : " " + Cut(std::string(whole.substr(of_thread + measure::kOfThread.size())));
    return fmt::format("{} has {} thread{}{} (was: {})", Cut(setting.shown), next,
                       next == "1" ? "" : "s", thread, base);
  }
  return fmt::format("{}{} is {} (was: {})", name,
                     setting.subject.empty() ? "" : " of " + Cut(setting.shown), next, base);
}

void AddSettingsSection(document::Document& document,
                        const std::vector<SettingDifference>& differences) {
  document::Section& section = document.AddSection(differences.empty() ? "" : "Set differently:");
  Value data(Value::List{});
  document::Table table{.key = "",
                        .columns = {{.head = "of", .left = true},
                                    {.head = "setting", .left = true},
                                    {.head = "base", .left = true},
                                    {.head = "new", .left = true}},
                        .rows = {},
                        .omitted = 0};
  std::array<size_t, 4> widths{};
  for (const SettingDifference& each : differences) {
    Value one(Value::Object{
        {"scope", schema::NameOf(each.scope)}, {"subject", each.shown}, {"name", each.name}});
    one.Set("base", each.base ? Value(*each.base) : Value());
    one.Set("new", each.next ? Value(*each.next) : Value());
    data.Append(document::OnOwnLine(std::move(one)));
    auto [base, next] = ValueWords(each);
    const std::array<std::string, 4> cells = {Cut(SubjectWords(each)), Cut(each.name),
                                              std::move(base), std::move(next)};
    std::vector<Value> row;
    for (size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], cells[i].size());
      row.emplace_back(cells[i]);
    }
    table.rows.push_back(std::move(row));
  }
  for (size_t i = 0; i < widths.size(); ++i) {
    const size_t least = table.columns[i].head.size();
    table.columns[i].width =
        static_cast<int>(i + 1 == widths.size() ? 0 : std::max(least, widths[i]) + 1);
  }
  section.Add(document::Field{
      .label = "", .key = "settings", .value = document::OnOwnLine(std::move(data))});
  section.Add(std::move(table));
}

}  // namespace analyze
