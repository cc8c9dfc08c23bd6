// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/trace_event.h"

namespace importer {

void TraceEvent::Clear() {
  static_cast<TraceEventFields&>(*this) = TraceEventFields();
  // The lists keep their memory.
  arguments.clear();
  extra.clear();
  unknown.clear();
}

}  // namespace importer
