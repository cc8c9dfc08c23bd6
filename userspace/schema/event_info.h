// SPDX-License-Identifier: BSD-2-Clause
// Run-time lookup of the categories and slot types of include/fxt_record/event_table.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fxt_record/event.h"

namespace schema {

// The category's name in -c and in files; "other" for an unknown number.
std::string_view CategoryName(uint32_t category);
// True for a category of the event table, of stacks, or of the recorder itself.
bool IsKernelCategory(std::string_view name);

// The use of a field in an instant, see event_table.h.
enum class FieldRole : uint8_t { HIDDEN, SHOWN, POINTER, THREAD, FUNCTION, TCP_STATE };

// A field of a slot's body, see slot_body.h.
struct FieldInfo {
  std::string_view name;
  unsigned at;
  unsigned bits;
  bool is_signed;
  FieldRole role;
};

struct SlotInfo {
  fxr_category category;  // FXR_CATEGORY_OTHER: not an event
  std::string_view name;
  bool is_instant;
  std::span<const FieldInfo> fields;
};

// `type` is an fxr_slot_type; unknown values yield the entry of FXR_SLOT_NONE.
const SlotInfo& SlotInfoOf(uint32_t type);

}  // namespace schema
