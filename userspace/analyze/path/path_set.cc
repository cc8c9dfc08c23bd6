// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/path/path_set.h"

#include <utility>

namespace analyze {

void PathSet::Add(const path::Request& request, std::span<const path::Part> parts) {
  if (is_full_ || !request.has_path) {
    ++left_out_;
    return;
  }
  PackedParts packed(request.begin, parts);
  const size_t bytes = sizeof(Entry) + packed.bytes() + request.name.size() +
                       request.category.size() + request.members.size();
  if (bytes > free_) {
    is_full_ = true;
    ++left_out_;
    return;
  }
  free_ -= bytes;
  entries_.push_back({request, std::move(packed)});
}

}  // namespace analyze
