// SPDX-License-Identifier: BSD-2-Clause
// The instants of category "settings", see schema/settings.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fxt/record.h"
#include "schema/settings.h"

namespace facts {

// Valid as long as the event.
struct SettingsEvent {
  schema::SettingScope scope = schema::SettingScope::kSystem;
  std::string_view subject;
  std::optional<fxt::Koid> process;
  std::span<const fxt::Argument> values;
};

// Empty for other events. The caller checks that the event is in a section of the kernel's
// (KernelSections): a provider may write any event.
std::optional<SettingsEvent> AsSettings(const fxt::Event& event);

// The value as text; empty for types that settings do not have.
std::string SettingText(const fxt::ArgumentValue& value);

}  // namespace facts
