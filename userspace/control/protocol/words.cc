// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/words.h"

namespace control {

std::string_view Name(SessionState state) {
  switch (state) {
    case SessionState::kReady:
      return "READY";
    case SessionState::kInitialized:
      return "INITIALIZED";
    case SessionState::kStarting:
      return "STARTING";
    case SessionState::kStarted:
      return "STARTED";
    case SessionState::kStopping:
      return "STOPPING";
    case SessionState::kStopped:
      return "STOPPED";
    case SessionState::kTerminating:
      return "TERMINATING";
  }
  return "";
}

std::string_view Name(MarkKind kind) {
  switch (kind) {
    case MarkKind::kBegin:
      return "BEGIN";
    case MarkKind::kEnd:
      return "END";
    case MarkKind::kInstant:
      return "INSTANT";
    case MarkKind::kCounter:
      return "COUNTER";
  }
  return "";
}

std::optional<MarkKind> FindMarkKind(std::string_view word) {
  for (const auto kind :
       {MarkKind::kBegin, MarkKind::kEnd, MarkKind::kInstant, MarkKind::kCounter}) {
    if (word == Name(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace control
