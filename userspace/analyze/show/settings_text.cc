// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "analyze/show/overview_report.h"
#include "schema/koid.h"
#include "text/clean_text.h"

namespace analyze {
namespace {

using Subject = std::tuple<schema::SettingScope, std::string, fxt::Koid>;
// By name: the values in order of time.
using Values = std::map<std::string, std::vector<std::string>>;

std::string Heading(const Subject& subject) {
  const auto& [scope, name, process] = subject;
  std::string text(schema::NameOf(scope));
  if (!name.empty()) text += " " + name;
  if (schema::HasProcess(scope)) text += fmt::format(" [{}]", schema::TidOfKoid(process));
  return text::CleanText(text);
}

}  // namespace

std::string SettingsText(const std::string& file, const Overview& overview) {
  std::map<Subject, Values> subjects;
  for (const Overview::Settings& settings : overview.settings) {
    Values& known = subjects[{settings.scope, settings.subject, settings.process.value_or(0)}];
    for (const auto& [name, value] : settings.values) {
      std::vector<std::string>& values = known[name];
      if (values.empty() || values.back() != value) values.push_back(value);
    }
  }
  std::string text = text::CleanText(file) + "\n";
  if (subjects.empty()) text += "no settings\n";
  for (const auto& [subject, values] : subjects) {
    text += "\n" + Heading(subject) + "\n";
    for (const auto& [name, all] : values) {
      std::string line = fmt::format("  {:<32} {}", name, all.back());
      if (all.size() > 1) line += fmt::format("  (before: {})", all[all.size() - 2]);
      text += text::CleanText(line) + "\n";
    }
  }
  return text;
}

}  // namespace analyze
