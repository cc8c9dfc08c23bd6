// SPDX-License-Identifier: BSD-2-Clause
#include "facts/recorder_facts.h"

#include "facts/scheduling.h"
#include "schema/names.h"

namespace facts {
namespace {

bool IsRecorderInstant(const fxt::Event& event, std::string_view name) {
  return event.type == fxt::EventType::kInstant && event.category.text == schema::kRecorderName &&
         event.name.text == name;
}

std::optional<int32_t> Int32Of(const fxt::Argument* argument) {
  if (argument == nullptr) return std::nullopt;
  const auto* value = std::get_if<int32_t>(&argument->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<uint64_t> CountOf(const fxt::Argument* argument) {
  if (argument == nullptr) return std::nullopt;
  if (const auto* value = std::get_if<uint64_t>(&argument->value)) return *value;
  if (const auto* value = std::get_if<uint32_t>(&argument->value)) return *value;
  return std::nullopt;
}

}  // namespace

bool IsSession(const fxt::Event& event) {
  return IsRecorderInstant(event, schema::event::kSession);
}

bool IsLinuxState(const fxt::Event& event) {
  return event.type == fxt::EventType::kInstant &&
         event.category.text == schema::category::kSched &&
         event.name.text == schema::event::kLinuxState;
}

std::optional<Loss> AsLoss(const fxt::Event& event) {
  if (!IsRecorderInstant(event, schema::event::kLostEvents)) return std::nullopt;
  return Loss{Int32Of(FindArgument(event.arguments, schema::argument::kCpu)),
              CountOf(FindArgument(event.arguments, schema::argument::kCount)),
              TextOf(FindArgument(event.arguments, schema::argument::kCategory))};
}

std::optional<int32_t> AsUnseenSwitch(const fxt::Event& event) {
  if (!IsRecorderInstant(event, schema::event::kUnseenSwitch)) return std::nullopt;
  return Int32Of(FindArgument(event.arguments, schema::argument::kCpu));
}

bool IsFiltered(const fxt::Event& session) {
  const auto filters = TextOf(FindArgument(session.arguments, schema::argument::kFilters));
  return filters && !filters->empty();
}

bool IsFilteringTrim(const fxt::Event& event) {
  return IsRecorderInstant(event, schema::event::kTrimmed) && IsFiltered(event);
}

}  // namespace facts
