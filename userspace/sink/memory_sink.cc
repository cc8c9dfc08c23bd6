// SPDX-License-Identifier: BSD-2-Clause
#include "sink/memory_sink.h"

#include <fmt/format.h>

namespace sink {

bool MemorySink::Write(std::span<const std::byte> records) {
  full_ = full_ || records.size() > limit_ - bytes_.size();
  if (full_) return false;
  bytes_.insert(bytes_.end(), records.begin(), records.end());
  return true;
}

util::Status MemorySink::Close() {
  if (!full_) return util::Ok();
  return util::Error{fmt::format("the trace is larger than the {} bytes of memory for it", limit_),
                     "record for a shorter time or fewer categories"};
}

}  // namespace sink
