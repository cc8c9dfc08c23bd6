// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/trace_event_value.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <variant>

namespace analyze {
namespace {

struct ValueWriter {
  text::JsonWriter& json;

  void operator()(fxt::NullValue) const { json.Null(); }
  void operator()(int32_t v) const { json.Signed(v); }
  void operator()(uint32_t v) const { json.Unsigned(v); }
  void operator()(int64_t v) const { json.Signed(v); }
  void operator()(uint64_t v) const { json.Unsigned(v); }
  void operator()(double v) const { json.Double(v); }
  void operator()(const fxt::StringRef& v) const { json.String(v.text); }
  void operator()(fxt::PointerValue v) const { json.Hex(v.address); }
  // As trace2json writes them.
  void operator()(fxt::KoidValue v) const { json.String(fmt::format("#{}", v.koid)); }
  void operator()(bool v) const { json.Bool(v); }
  void operator()(const fxt::BlobValue& v) const {
    const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(v.bytes.data()),
                                         v.bytes.size());
    json.String(fmt::format("{:02x}", fmt::join(bytes, "")));
  }
  void operator()(const fxt::UnknownValue& v) const {
    json.String(fmt::format("(argument type {})", v.type));
  }
};

}  // namespace

std::string_view TraceEventPhase(fxt::EventType type) {
  switch (type) {
    case fxt::EventType::kInstant:
      return "i";
    case fxt::EventType::kCounter:
      return "C";
    case fxt::EventType::kDurationBegin:
      return "B";
    case fxt::EventType::kDurationEnd:
      return "E";
    case fxt::EventType::kDurationComplete:
      return "X";
    case fxt::EventType::kAsyncBegin:
      return "b";
    case fxt::EventType::kAsyncInstant:
      return "n";
    case fxt::EventType::kAsyncEnd:
      return "e";
    case fxt::EventType::kFlowBegin:
      return "s";
    case fxt::EventType::kFlowStep:
      return "t";
    case fxt::EventType::kFlowEnd:
      return "f";
  }
  return "i";
}

void WriteTraceEventValue(text::JsonWriter& json, const fxt::ArgumentValue& value) {
  std::visit(ValueWriter{json}, value);
}

}  // namespace analyze
