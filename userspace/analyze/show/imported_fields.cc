// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/imported_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/show/trace_event_value.h"
#include "facts/scheduling.h"
#include "schema/names.h"
#include "schema/trace_event_fields.h"
#include "text/json_document.h"

namespace analyze {
namespace {

namespace field = schema::field;

// Fields that go back as they are.
constexpr std::array<std::string_view, 24> kPlain = {field::kId,
                                                     field::kScope,
                                                     field::kInstantScope,
                                                     field::kFrame,
                                                     field::kEndFrame,
                                                     field::kBindId,
                                                     field::kFlowIn,
                                                     field::kFlowOut,
                                                     "tts",
                                                     "tdur",
                                                     "tidelta",
                                                     "ticount",
                                                     "cname",
                                                     "cpu",
                                                     "weight",
                                                     "prio",
                                                     "waker",
                                                     "state",
                                                     "out",
                                                     "in",
                                                     "timestamp",
                                                     field::kBindingPoint,
                                                     "comm",
                                                     "callchain"};

std::string_view FieldOf(const fxt::Argument& argument) {
  const std::string_view name = argument.name.text;
  if (name.empty() || name.front() != schema::kFieldMark) return {};
  return name.substr(1);
}

bool IsPlain(std::string_view name) {
  return std::find(kPlain.begin(), kPlain.end(), name) != kPlain.end();
}

std::string_view TextIn(const fxt::Argument& argument) {
  const auto* text = std::get_if<fxt::StringRef>(&argument.value);
  return text == nullptr ? std::string_view() : text->text;
}

// Calls `each` for every line.
template <typename Each>
void Lines(std::string_view text, Each&& each) {
  for (;;) {
    const size_t end = text.find('\n');
    each(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

ImportedFields::ImportedFields(std::span<const fxt::Argument> arguments) : arguments_(arguments) {
  for (const fxt::Argument& argument : arguments) {
    const std::string_view name = FieldOf(argument);
    if (name == field::kPhase) {
      const std::string_view phase = TextIn(argument);
      if (phase.size() == 1) phase_ = phase;
      is_sample_ |= phase == field::kSample;
      is_process_sample_ |= phase == field::kProcessSample;
      is_made_ |= phase == field::kMade;
    }
    if (name == field::kLate) {
      const auto late = facts::IntegerValue(&argument);
      if (late && *late >= 0) late_ = static_cast<uint64_t>(*late);
    }
    if (name == field::kDuration) {
      const auto duration = facts::IntegerValue(&argument);
      if (duration && *duration >= 0) duration_ = static_cast<uint64_t>(*duration);
    }
    if (name == field::kArguments) whole_arguments_ = &argument;
    if (name == field::kJson) json_names_ = TextIn(argument);
    has_id_ |= name == field::kId || name == field::kLocalId || name == field::kGlobalId;
    has_scope_ |= name == field::kInstantScope;
  }
}

bool ImportedFields::IsField(const fxt::Argument& argument) {
  constexpr std::array kOthers = {field::kPhase,    field::kJson,      field::kLocalId,
                                  field::kGlobalId, field::kStack,     field::kEndStack,
                                  field::kFrames,   field::kEndFrames, field::kArguments,
                                  field::kLate,     field::kDuration};
  const std::string_view name = FieldOf(argument);
  return IsPlain(name) || std::find(kOthers.begin(), kOthers.end(), name) != kOthers.end();
}

bool ImportedFields::IsJson(const fxt::Argument& argument) const {
  bool named = false;
  if (!json_names_.empty()) {
    const std::string wanted = schema::JsonArgumentLine(argument.name.text);
    Lines(json_names_, [&](std::string_view name) { named |= name == wanted; });
  }
  return named && text::IsJson(TextIn(argument));
}

// Integers with all their digits, which JSON allows; text::JsonWriter has strings for large ones.
void ImportedFields::WriteValue(const fxt::Argument& argument, text::JsonWriter& json) const {
  if (const auto* text = std::get_if<fxt::StringRef>(&argument.value)) {
    if (IsJson(argument)) {
      json.Json(text->text);
    } else {
      json.String(text->text);
    }
  } else if (const auto* number = std::get_if<int64_t>(&argument.value)) {
    json.Json(fmt::format("{}", *number));
  } else if (const auto* large = std::get_if<uint64_t>(&argument.value)) {
    json.Json(fmt::format("{}", *large));
  } else {
    WriteTraceEventValue(json, argument.value);
  }
}

void ImportedFields::Write(text::JsonWriter& json, FrameTable& frames) const {
  for (const fxt::Argument& argument : arguments_) {
    const std::string_view name = FieldOf(argument);
    if (IsPlain(name)) {
      json.Key(name);
      WriteValue(argument, json);
    } else if (name == field::kLocalId || name == field::kGlobalId) {
      json.Key("id2").BeginObject().Key(name == field::kLocalId ? "local" : "global");
      WriteValue(argument, json);
      json.EndObject();
    } else if (name == field::kFrames || name == field::kEndFrames) {
      const auto frame = frames.FrameOf(TextIn(argument));
      if (!frame) continue;
      json.Key(name == field::kFrames ? field::kFrame : field::kEndFrame);
      json.String(fmt::format("{}", *frame));
    } else if (name == field::kStack || name == field::kEndStack) {
      json.Key(name).BeginArray();
      Lines(TextIn(argument), [&](std::string_view frame) { json.String(frame); });
      json.EndArray();
    }
  }
}

void ImportedNumbers::Note(const fxt::KernelObject& object) {
  if (pids_.size() + tids_.size() >= kMost) return;
  const auto take = [&](std::string_view name, Numbers& numbers) {
    const fxt::Argument* argument = facts::FindArgument(object.arguments, name);
    if (const auto number = facts::IntegerValue(argument)) {
      numbers[object.koid] = *number;
    } else if (const auto text = facts::TextOf(argument)) {
      numbers[object.koid] = std::string(*text);
    }
  };
  if (object.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess)) {
    take(schema::argument::kPid, pids_);
  } else if (object.type == static_cast<uint8_t>(fxt::KernelObjectType::kThread)) {
    take(schema::argument::kTid, tids_);
  }
}

uint64_t ImportedNumbers::Unsigned(const Numbers& numbers, fxt::Koid koid) {
  const auto found = numbers.find(koid);
  const auto* number = found == numbers.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return number != nullptr && *number >= 0 && *number <= UINT32_MAX ? static_cast<uint64_t>(*number)
                                                                    : koid;
}

void ImportedNumbers::Write(const Numbers& numbers, fxt::Koid koid, text::JsonWriter& json) {
  const auto found = numbers.find(koid);
  if (found == numbers.end()) {
    json.Unsigned(koid);
  } else if (const auto* text = std::get_if<std::string>(&found->second)) {
    json.String(*text);
  } else {
    json.Signed(std::get<int64_t>(found->second));
  }
}

bool IsImported(const fxt::Reader& reader) {
  return reader.provider().name() == schema::kTraceEventProvider;
}

bool IsImportHead(const fxt::Event& event) {
  return event.type == fxt::EventType::kInstant && event.category.text == schema::kRecorderName &&
         event.name.text == schema::kImport;
}

}  // namespace analyze
