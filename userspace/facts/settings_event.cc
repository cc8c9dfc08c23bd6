// SPDX-License-Identifier: BSD-2-Clause
#include "facts/settings_event.h"

#include <utility>
#include <variant>

#include "facts/scheduling.h"
#include "schema/names.h"

namespace facts {

std::optional<SettingsEvent> AsSettings(const fxt::Event& event) {
  if (event.type != fxt::EventType::kInstant ||
      event.category.text != schema::category::kSettings) {
    return std::nullopt;
  }
  const auto scope = schema::SettingScopeNamed(event.name.text);
  if (!scope) return std::nullopt;
  SettingsEvent settings{.scope = *scope, .subject = {}, .process = {}, .values = event.arguments};
  const auto next_is = [&](std::string_view name) {
    return !settings.values.empty() && settings.values.front().name.text == name;
  };
  if (next_is(schema::setting::kSubject)) {
    settings.subject = TextOf(&settings.values.front()).value_or("");
    settings.values = settings.values.subspan(1);
  }
  if (next_is(schema::argument::kProcess)) {
    settings.process = KoidOf(&settings.values.front());
    settings.values = settings.values.subspan(1);
  }
  if (schema::HasProcess(*scope) != settings.process.has_value()) return std::nullopt;
  return settings;
}

std::string SettingText(const fxt::ArgumentValue& value) {
  if (const auto* text = std::get_if<fxt::StringRef>(&value)) return std::string(text->text);
  const fxt::Argument argument{fxt::StringRef(), value};
  const auto number = IntegerValue(&argument);
  return number ? std::to_string(*number) : "";
}

}  // namespace facts
