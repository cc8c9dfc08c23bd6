// SPDX-License-Identifier: BSD-2-Clause
// Dispatches events of the side ring (fxt_record/event.h) by their type.
#pragma once

#include "fxt_record/event.h"

namespace schema {

// An overload set of several callables.
template <typename... Callables>
struct Overloaded : Callables... {
  using Callables::operator()...;
};

// Calls `visit` once with the event behind `header`, as its own type: fxr_task, fxr_exec,
// fxr_rename, fxr_exit, fxr_log, fxr_side_slot, fxr_cgroup or fxr_long. Passes `header` itself for
// a poke, for an unknown type, and for an event that is shorter than its type. header.size bytes
// are readable. A visitor that handles only some types adds `[](const auto&) {}`.
template <typename Visitor>
decltype(auto) VisitSideEvent(const fxr_side_header& header, Visitor&& visit) {
  const auto as = [&]<typename Event>() -> decltype(auto) {
    if (header.size < sizeof(Event)) return visit(header);
    return visit(reinterpret_cast<const Event&>(header));
  };
  switch (header.type) {
    case FXR_SIDE_FORK:
      return as.template operator()<fxr_task>();
    case FXR_SIDE_EXEC:
      return as.template operator()<fxr_exec>();
    case FXR_SIDE_RENAME:
      return as.template operator()<fxr_rename>();
    case FXR_SIDE_EXIT:
      return as.template operator()<fxr_exit>();
    case FXR_SIDE_LOG:
      return as.template operator()<fxr_log>();
    case FXR_SIDE_SLOT:
      return as.template operator()<fxr_side_slot>();
    case FXR_SIDE_CGROUP:
      return as.template operator()<fxr_cgroup>();
    case FXR_SIDE_LONG:
      return as.template operator()<fxr_long>();
    default:
      return visit(header);
  }
}

}  // namespace schema
