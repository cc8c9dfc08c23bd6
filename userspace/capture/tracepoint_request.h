// SPDX-License-Identifier: BSD-2-Clause
// One -e option. A header of its own, because users of options need no perf headers.
#pragma once

#include <string>

namespace capture {

struct TracepointRequest {
  std::string pattern;  // SYSTEM:NAME, with shell wildcards
  std::string filter;   // a kernel tracepoint filter; empty: all events
};

}  // namespace capture
