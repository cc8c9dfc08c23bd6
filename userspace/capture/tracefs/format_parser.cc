// SPDX-License-Identifier: BSD-2-Clause
#include "capture/tracefs/format_parser.h"

#include <fmt/format.h>
#include <traceevent/event-parse.h>

#include <cstddef>
#include <memory>
#include <utility>

namespace capture {
namespace {

using schema::TracepointField;
using Kind = TracepointField::Kind;
using Place = TracepointField::Place;

// libtraceevent lacks the size of some dynamic arrays.
uint32_t ElementSize(const tep_format_field& field) {
  if (field.elementsize != 0) return field.elementsize;
  const std::string_view type = field.type;
  constexpr std::pair<std::string_view, uint32_t> kSizes[] = {
      {"64", 8}, {"long", 8}, {"32", 4}, {"int", 4}, {"16", 2}, {"short", 2}};
  for (const auto& [word, size] : kSizes) {
    if (type.find(word) != std::string_view::npos) return size;
  }
  return 1;
}

Kind KindOf(const tep_format_field& field) {
  const bool is_array = (field.flags & TEP_FIELD_IS_ARRAY) != 0;
  const uint32_t size = is_array ? ElementSize(field) : static_cast<uint32_t>(field.size);
  if ((field.flags & TEP_FIELD_IS_POINTER) != 0 && !is_array) return Kind::kPointer;
  if (is_array && std::string_view(field.type).find("char") != std::string_view::npos) {
    return Kind::kText;
  }
  if (size != 1 && size != 2 && size != 4 && size != 8) return Kind::kBytes;
  return (field.flags & TEP_FIELD_IS_SIGNED) != 0 ? Kind::kSigned : Kind::kUnsigned;
}

TracepointField FieldOf(const tep_format_field& field) {
  TracepointField result;
  result.name = field.name;
  result.type = field.type;
  result.is_array = (field.flags & TEP_FIELD_IS_ARRAY) != 0;
  result.kind = KindOf(field);
  if ((field.flags & TEP_FIELD_IS_DYNAMIC) != 0) {
    result.place = (field.flags & TEP_FIELD_IS_RELATIVE) != 0 ? Place::kRelLoc : Place::kDataLoc;
  }
  result.offset = static_cast<uint32_t>(field.offset);
  result.size = static_cast<uint32_t>(field.size);
  result.element_size = result.is_array ? ElementSize(field) : result.size;
  return result;
}

bool HasHeader(const tep_event& event) {
  bool has_id = false;
  bool has_tid = false;
  for (const auto* field = event.format.common_fields; field != nullptr; field = field->next) {
    const std::string_view name = field->name;
    has_id |= name == "common_type" && field->offset == offsetof(schema::TracepointHeader, id) &&
              field->size == sizeof(schema::TracepointHeader::id);
    has_tid |= name == "common_pid" && field->offset == offsetof(schema::TracepointHeader, tid) &&
               field->size == sizeof(schema::TracepointHeader::tid);
  }
  return has_id && has_tid;
}

}  // namespace

util::Result<schema::TracepointFormat> ParseFormat(std::string_view system, std::string_view text) {
  const std::unique_ptr<tep_handle, decltype(&tep_free)> parser(tep_alloc(), tep_free);
  if (!parser) return util::Error{"not enough memory for a tracepoint's format", ""};
  tep_set_loglevel(TEP_LOG_NONE);
  tep_set_long_size(parser.get(), sizeof(long));
  // The print format is not needed, and some cannot be parsed.
  const std::string fields =
      fmt::format("{}print fmt: \"\"\n", text.substr(0, text.find("print fmt:")));
  tep_parse_event(parser.get(), fields.c_str(), fields.size(), std::string(system).c_str());
  const tep_event* event = tep_get_first_event(parser.get());
  if (event == nullptr || event->name == nullptr || !HasHeader(*event)) {
    return util::Error{fmt::format("a tracepoint of {} has a format that is not known", system),
                       ""};
  }
  schema::TracepointFormat format;
  format.system = system;
  format.name = event->name;
  format.id = static_cast<uint32_t>(event->id);
  for (const auto* field = event->format.fields; field != nullptr; field = field->next) {
    format.fields.push_back(FieldOf(*field));
  }
  return format;
}

}  // namespace capture
