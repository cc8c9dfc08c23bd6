// SPDX-License-Identifier: BSD-2-Clause
// Which spans are requests where none are chosen by name.
#pragma once

#include <string_view>

#include "schema/event_info.h"

namespace path {

// The category of requests that the recorder makes of connections.
inline constexpr std::string_view kRequestCategory = "request";

// Whether a span of that category may be a request: those of programs, and calls of probes, but no
// system calls and other spans of the kernel. `of_kernel`: it is of a section with the kernel's
// facts.
inline bool MayBeRequest(std::string_view category, bool of_kernel) {
  return !of_kernel || category == kRequestCategory || !schema::IsKernelCategory(category) ||
         category == schema::CategoryName(FXR_CATEGORY_PROBE);
}

}  // namespace path
