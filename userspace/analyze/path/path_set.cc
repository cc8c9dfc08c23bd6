// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_set.h"

namespace analyze {

void PathSet::Add(const path::Request& request, std::span<const path::Part> parts) {
  const size_t bytes = sizeof(Entry) + parts.size_bytes() + request.name.size() +
                       request.category.size() + request.members.size();
  if (left_out_ != 0 || bytes > free_) {
    ++left_out_;
    return;
  }
  free_ -= bytes;
  entries_.push_back({request, {parts.begin(), parts.end()}});
}

}  // namespace analyze
