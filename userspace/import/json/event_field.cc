// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/event_field.h"

#include <array>
#include <cstddef>

namespace importer {
namespace {

struct KnownField {
  std::string_view name;
  EventField field;
};

constexpr KnownField kKnown[] = {
    {"ts", EventField::kTime},
    {"ph", EventField::kPhase},
    {"pid", EventField::kPid},
    {"tid", EventField::kTid},
    {"name", EventField::kName},
    {"cat", EventField::kCategory},
    {"args", EventField::kArguments},
    {"dur", EventField::kDuration},
    {"tts", EventField::kExtra},
    {"id", EventField::kId},
    {"s", EventField::kInstantScope},
    {"tdur", EventField::kExtra},
    {"id2", EventField::kId2},
    {"bp", EventField::kBindingPoint},
    {"scope", EventField::kScope},
    {"sf", EventField::kFrame},
    {"esf", EventField::kEndFrame},
    {"stack", EventField::kStack},
    {"estack", EventField::kEndStack},
    {"parent", EventField::kParent},
    {"bind_id", EventField::kBindId},
    {"flow_in", EventField::kFlowIn},
    {"flow_out", EventField::kFlowOut},
    {"tidelta", EventField::kExtra},
    {"ticount", EventField::kExtra},
    {"cname", EventField::kExtra},
    {"category", EventField::kCategory},
    {"cpu", EventField::kExtra},
    {"weight", EventField::kExtra},
    {"prio", EventField::kExtra},
    {"state", EventField::kExtra},
    {"waker", EventField::kExtra},
    {"out", EventField::kExtra},
    {"in", EventField::kExtra},
    // Fields of samples of `perf data convert`.
    {"timestamp", EventField::kExtra},
    {"comm", EventField::kExtra},
    {"callchain", EventField::kExtra},
};

// A perfect hash of the length and the first, middle and last letter.
constexpr size_t kPlaces = 256;
constexpr uint32_t kPlacesFactor = 0xda94e3e9;
constexpr size_t PlaceOf(std::string_view name) {
  const auto letter = [&](size_t at) {
    return static_cast<uint32_t>(static_cast<uint8_t>(name[at]));
  };
  const size_t last = name.size() - 1;
  const uint32_t mixed =
      (letter(0) | letter(last / 2) << 8 | letter(last) << 16 | static_cast<uint32_t>(last) << 24) *
      kPlacesFactor;
  return mixed >> 24;
}

constexpr auto kKnownByPlace = [] {
  std::array<KnownField, kPlaces> places{};
  for (const KnownField& known : kKnown) {
    KnownField& place = places[PlaceOf(known.name)];
    if (!place.name.empty()) throw "two names in one place";  // fails at compile time
    place = known;
  }
  return places;
}();

}  // namespace

EventField FieldNamed(std::string_view name) {
  if (name.empty()) return EventField::kUnknown;
  const KnownField& known = kKnownByPlace[PlaceOf(name)];
  if (known.name.size() != name.size()) return EventField::kUnknown;
  // A loop, because memcmp() is slower for such short names.
  for (size_t i = 0; i < name.size(); ++i) {
    if (known.name[i] != name[i]) return EventField::kUnknown;
  }
  return known.field;
}

}  // namespace importer
