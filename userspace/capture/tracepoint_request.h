// SPDX-License-Identifier: BSD-2-Clause
// What one -e asks for.
#pragma once

#include <string>

namespace capture {

struct TracepointRequest {
  std::string pattern;  // SYSTEM:NAME, with * ? [] as for a shell
  std::string filter;   // in the language of the kernel's tracepoint filters; empty: all events
};

}  // namespace capture
