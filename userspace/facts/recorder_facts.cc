// SPDX-License-Identifier: BSD-2-Clause
#include "facts/recorder_facts.h"

#include "facts/scheduling.h"
#include "schema/koid.h"

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

bool IsSession(const fxt::Event& event) { return IsRecorderInstant(event, "session"); }

bool IsLinuxState(const fxt::Event& event) {
  return event.type == fxt::EventType::kInstant && event.category.text == "sched" &&
         event.name.text == "linux_state";
}

std::optional<Loss> AsLoss(const fxt::Event& event) {
  if (!IsRecorderInstant(event, "lost_events")) return std::nullopt;
  return Loss{Int32Of(FindArgument(event.arguments, "cpu")),
              CountOf(FindArgument(event.arguments, "count")),
              TextOf(FindArgument(event.arguments, "category"))};
}

std::optional<int32_t> AsUnseenSwitch(const fxt::Event& event) {
  if (!IsRecorderInstant(event, "unseen_switch")) return std::nullopt;
  return Int32Of(FindArgument(event.arguments, "cpu"));
}

bool IsFiltered(const fxt::Event& session) {
  const auto filters = TextOf(FindArgument(session.arguments, "filters"));
  return filters && !filters->empty();
}

bool IsFilteringTrim(const fxt::Event& event) {
  return IsRecorderInstant(event, "trimmed") && IsFiltered(event);
}

}  // namespace facts
