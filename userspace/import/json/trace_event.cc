// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/trace_event.h"

#include <type_traits>

namespace importer {

// An event has few of them: all at once takes less time than each.
static_assert(std::is_trivially_copyable_v<TraceEventFields>);

void TraceEvent::Clear() {
  static const TraceEventFields kNone;
  static_cast<TraceEventFields&>(*this) = kNone;
  // The lists keep their memory.
  arguments.clear();
  extra.clear();
  unknown.clear();
}

}  // namespace importer
