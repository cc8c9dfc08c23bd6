// SPDX-License-Identifier: BSD-2-Clause
#include "schema/event_info.h"

#include <algorithm>
#include <array>

#include "fxt_record/slot_body.h"
#include "schema/names.h"

namespace schema {
namespace {

constexpr std::string_view kCategoryNames[] = {
#define FXR_NAME(id, name, description, by_default) name,
    FXR_CATEGORY_TABLE(FXR_NAME)
#undef FXR_NAME
};

enum class Shape { OWN, INSTANT };

#define FXR_FIELD_INFO(body, type, field, bits, role) \
  FieldInfo{#field, FXR_##body##_##field##_AT, bits, FXR_FIELD_IS_SIGNED(type), FieldRole::role},
#define FXR_FIELDS(id, name, shape, body) \
  constexpr FieldInfo k_##name[] = {body(FXR_FIELD_INFO, name)};
FXR_SLOT_TABLE(FXR_FIELDS)
#undef FXR_FIELDS
#undef FXR_FIELD_INFO

struct Tracepoint {
  fxr_category category;
  std::string_view name;
  fxr_slot_type type;
};

constexpr Tracepoint kTracepoints[] = {
#define FXR_TRACEPOINT(category, tracepoint, name, way, type) \
  {FXR_CATEGORY_##category, name, FXR_SLOT_##type},
    FXR_TRACEPOINT_TABLE(FXR_TRACEPOINT)
#undef FXR_TRACEPOINT
};

constexpr SlotInfo InfoOf(fxr_slot_type type, Shape shape, std::span<const FieldInfo> fields) {
  for (const Tracepoint& each : kTracepoints) {
    if (each.type == type) return {each.category, each.name, shape == Shape::INSTANT, fields};
  }
  return {FXR_CATEGORY_OTHER, "", false, fields};
}

constexpr std::array<SlotInfo, FXR_SLOT_TYPES> kSlots = {
    SlotInfo{FXR_CATEGORY_OTHER, "", false, {}},
#define FXR_SLOT(id, name, shape, body) InfoOf(FXR_SLOT_##id, Shape::shape, k_##name),
    FXR_SLOT_TABLE(FXR_SLOT)
#undef FXR_SLOT
};

}  // namespace

std::string_view CategoryName(uint32_t category) {
  return category < std::size(kCategoryNames) ? kCategoryNames[category] : "other";
}

bool IsKernelCategory(std::string_view name) {
  return name == kRecorderName || std::find(std::begin(kCategoryNames), std::end(kCategoryNames),
                                            name) != std::end(kCategoryNames);
}

const SlotInfo& SlotInfoOf(uint32_t type) {
  return kSlots[type < kSlots.size() ? type : uint32_t{FXR_SLOT_NONE}];
}

}  // namespace schema
