// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/event_phase.h"

namespace importer {

std::optional<EventPhase> EventPhaseOf(char letter) {
  using enum StoredKind;
  using enum PhaseId;
  switch (letter) {
    case 'B':
      return EventPhase{kDurationBegin};
    case 'E':
      return EventPhase{kDurationEnd};
    case 'X':
      return EventPhase{kDurationComplete};
    case 'C':
      return EventPhase{kCounter, kShared};
    case 'i':
      return EventPhase{kInstant};
    case 'I':
    case 'P':
    case 'R':
    case 'c':
      return EventPhase{kInstant, kNone, false};
    case 'V':
    case 'v':
    case '(':
    case ')':
    case '=':
      return EventPhase{kInstant, kShared, false};
    case 'b':
    case 'S':
      return EventPhase{kAsyncBegin, kShared, letter == 'b'};
    case 'n':
    case 'T':
    case 'p':
      return EventPhase{kAsyncInstant, kShared, letter == 'n'};
    case 'e':
    case 'F':
      return EventPhase{kAsyncEnd, kShared, letter == 'e'};
    case 'N':
      return EventPhase{kAsyncBegin, kLocal, false};
    case 'D':
      return EventPhase{kAsyncEnd, kLocal, false};
    case 'O':
      return EventPhase{kObject, kLocal, false};
    case 's':
      return EventPhase{kFlowBegin, kShared};
    case 't':
      return EventPhase{kFlowStep, kShared};
    case 'f':
      return EventPhase{kFlowEnd, kShared};
    default:
      return std::nullopt;
  }
}

}  // namespace importer
