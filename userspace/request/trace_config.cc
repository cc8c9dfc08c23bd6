// SPDX-License-Identifier: BSD-2-Clause
#include "request/trace_config.h"

namespace request {

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

std::optional<BufferingMode> FindBufferingMode(std::string_view name) {
  for (const auto mode :
       {BufferingMode::kOneshot, BufferingMode::kCircular, BufferingMode::kStreaming}) {
    if (name == Name(mode)) return mode;
  }
  return std::nullopt;
}

std::optional<BufferDisposition> FindBufferDisposition(std::string_view name) {
  for (const auto disposition : {BufferDisposition::kClearAll, BufferDisposition::kClearNondurable,
                                 BufferDisposition::kRetain}) {
    if (name == Name(disposition)) return disposition;
  }
  return std::nullopt;
}

}  // namespace request
