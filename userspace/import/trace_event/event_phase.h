// SPDX-License-Identifier: BSD-2-Clause
// The letters of Trace Event Format ("ph") and of what programs write into ftrace.
#pragma once

#include <cstdint>
#include <optional>

#include "import/trace_event/stored_event.h"

namespace importer {

enum class PhaseId : uint8_t {
  kNone,    // an id, if there is one, is like any other member
  kShared,  // says what belongs together
  kLocal,   // the same within a process
};

// What a letter says of its event.
struct EventPhase {
  StoredKind kind = StoredKind::kInstant;
  PhaseId id = PhaseId::kNone;
  // The letter that JSON is written with for records of this kind; others have to be told.
  bool usual = true;
};

// Of a flow's end the kind is that of "bp":"e". Empty for letters that are no events in time.
std::optional<EventPhase> EventPhaseOf(char letter);

}  // namespace importer
