// SPDX-License-Identifier: BSD-2-Clause
// Maps phases ("ph") of the Trace Event Format and of ftrace markers.
#pragma once

#include <cstdint>
#include <optional>

#include "import/trace_event/stored_event.h"

namespace importer {

enum class PhaseId : uint8_t {
  kNone,    // an id has no special meaning
  kShared,  // the id links events
  kLocal,   // the id links events of a process
};

// The meaning of a phase.
struct EventPhase {
  StoredKind kind = StoredKind::kInstant;
  PhaseId id = PhaseId::kNone;
  // True if `fxt json` writes this phase for records of the kind. Other phases are kept as an
  // argument.
  bool usual = true;
};

// A flow end has the kind of "bp":"e". Empty for phases without a time.
std::optional<EventPhase> EventPhaseOf(char letter);

}  // namespace importer
