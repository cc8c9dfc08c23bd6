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

}  // namespace control
