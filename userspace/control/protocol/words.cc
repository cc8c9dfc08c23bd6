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

std::string_view Name(BufferingMode mode) {
  switch (mode) {
    case BufferingMode::kOneshot:
      return "ONESHOT";
    case BufferingMode::kCircular:
      return "CIRCULAR";
    case BufferingMode::kStreaming:
      return "STREAMING";
  }
  return "";
}

std::string_view Name(BufferDisposition disposition) {
  switch (disposition) {
    case BufferDisposition::kClearAll:
      return "CLEAR_ALL";
    case BufferDisposition::kClearNondurable:
      return "CLEAR_NONDURABLE";
    case BufferDisposition::kRetain:
      return "RETAIN";
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

std::optional<BufferingMode> FindBufferingMode(std::string_view word) {
  for (const auto mode :
       {BufferingMode::kOneshot, BufferingMode::kCircular, BufferingMode::kStreaming}) {
    if (word == Name(mode)) return mode;
  }
  return std::nullopt;
}

std::optional<BufferDisposition> FindBufferDisposition(std::string_view word) {
  for (const auto disposition : {BufferDisposition::kClearAll, BufferDisposition::kClearNondurable,
                                 BufferDisposition::kRetain}) {
    if (word == Name(disposition)) return disposition;
  }
  return std::nullopt;
}

std::optional<MarkKind> FindMarkKind(std::string_view word) {
  for (const auto kind :
       {MarkKind::kBegin, MarkKind::kEnd, MarkKind::kInstant, MarkKind::kCounter}) {
    if (word == Name(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace control
