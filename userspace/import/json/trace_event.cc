// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/trace_event.h"

#include <utility>

namespace importer {

void TraceEvent::Clear() {
  // The lists keep their memory.
  std::vector<JsonMember> old_arguments = std::move(arguments);
  std::vector<JsonMember> old_extra = std::move(extra);
  std::vector<std::string_view> old_unknown = std::move(unknown);
  *this = TraceEvent();
  arguments = std::move(old_arguments);
  extra = std::move(old_extra);
  unknown = std::move(old_unknown);
  arguments.clear();
  extra.clear();
  unknown.clear();
}

}  // namespace importer
