// SPDX-License-Identifier: BSD-2-Clause
// What include/fxt_record/event_table.h says of categories and slots, for programs to look up.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "fxt_record/event.h"

namespace schema {

// The name that people ask for it by, which is that of its events in our files; "other" for what is
// no category.
std::string_view CategoryName(uint32_t category);
// True for a category of the event table, of stacks, or of the recorder itself.
bool IsKernelCategory(std::string_view name);

// What becomes of a field of an instant, see event_table.h.
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
  fxr_category category;  // FXR_CATEGORY_OTHER: it is no event
  std::string_view name;
  bool is_instant;
  std::span<const FieldInfo> fields;
};

// `type`: of enum fxr_slot_type; that of FXR_SLOT_NONE for what is none.
const SlotInfo& SlotInfoOf(uint32_t type);

}  // namespace schema
