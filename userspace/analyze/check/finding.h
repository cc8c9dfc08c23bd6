// SPDX-License-Identifier: BSD-2-Clause
// What is wrong with a trace, and where.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace analyze {

enum class Severity : uint8_t {
  kWarning,  // readers cope, but it should not be so
  kError,    // against the format, or against what fxt-record promises
};

struct Finding {
  uint64_t offset = 0;  // of the record, in bytes of the uncompressed stream
  Severity severity = Severity::kError;
  std::string_view rule;  // one of Rules()
  std::string message;    // one line, without rule and offset
};

using FindingHandler = std::function<void(const Finding&)>;

}  // namespace analyze
