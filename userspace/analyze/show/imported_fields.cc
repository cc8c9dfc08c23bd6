// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/imported_fields.h"

#include <algorithm>
#include <array>

#include "facts/scheduling.h"
#include "schema/names.h"
#include "text/json_check.h"

namespace analyze {
namespace {

namespace field = schema::field;

// Fields that go back as they are.
constexpr std::array<std::string_view, 14> kPlain = {field::kId,
                                                     field::kScope,
                                                     field::kInstantScope,
                                                     field::kFrame,
                                                     field::kEndFrame,
                                                     "tts",
                                                     "tdur",
                                                     "tidelta",
                                                     "ticount",
                                                     "cname",
                                                     "cpu",
                                                     "weight",
                                                     "prio",
                                                     "waker"};

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

void WriteValue(const fxt::ArgumentValue& value, text::JsonWriter& json) {
  if (const auto* text = std::get_if<fxt::StringRef>(&value)) {
    json.String(text->text);
  } else if (const auto* number = std::get_if<double>(&value)) {
    json.Double(*number);
  } else if (const auto* small = std::get_if<int32_t>(&value)) {
    json.Signed(*small);
  } else if (const auto* large = std::get_if<int64_t>(&value)) {
    json.Signed(*large);
  } else if (const auto* unsigned_large = std::get_if<uint64_t>(&value)) {
    json.Unsigned(*unsigned_large);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    json.Bool(*flag);
  } else {
    json.Null();
  }
}

}  // namespace

ImportedFields::ImportedFields(std::span<const fxt::Argument> arguments) : arguments_(arguments) {
  for (const fxt::Argument& argument : arguments) {
    const std::string_view name = FieldOf(argument);
    if (name == field::kPhase && TextIn(argument).size() == 1) phase_ = TextIn(argument);
    if (name == field::kJson) json_names_ = TextIn(argument);
    has_id_ |= name == field::kId || name == field::kLocalId || name == field::kGlobalId;
    has_scope_ |= name == field::kInstantScope;
  }
}

bool ImportedFields::IsField(const fxt::Argument& argument) {
  const std::string_view name = FieldOf(argument);
  return IsPlain(name) || name == field::kPhase || name == field::kJson ||
         name == field::kLocalId || name == field::kGlobalId || name == field::kStack ||
         name == field::kEndStack;
}

bool ImportedFields::IsJson(const fxt::Argument& argument) const {
  bool named = false;
  if (!json_names_.empty()) {
    Lines(json_names_, [&](std::string_view name) { named |= name == argument.name.text; });
  }
  return named && text::IsJson(TextIn(argument));
}

void ImportedFields::Write(text::JsonWriter& json) const {
  for (const fxt::Argument& argument : arguments_) {
    const std::string_view name = FieldOf(argument);
    if (IsPlain(name)) {
      json.Key(name);
      WriteValue(argument.value, json);
    } else if (name == field::kLocalId || name == field::kGlobalId) {
      json.Key("id2").BeginObject().Key(name == field::kLocalId ? "local" : "global");
      WriteValue(argument.value, json);
      json.EndObject();
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
    const auto number = facts::IntegerValue(facts::FindArgument(object.arguments, name));
    if (number) numbers[object.koid] = *number;
  };
  if (object.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess)) {
    take(schema::argument::kPid, pids_);
  } else if (object.type == static_cast<uint8_t>(fxt::KernelObjectType::kThread)) {
    take(schema::argument::kTid, tids_);
  }
}

void ImportedNumbers::Write(const Numbers& numbers, fxt::Koid koid, text::JsonWriter& json) {
  const auto found = numbers.find(koid);
  if (found == numbers.end()) {
    json.Unsigned(koid);
  } else {
    json.Signed(found->second);
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
