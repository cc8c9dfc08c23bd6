// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/dump.h"

#include <iterator>
#include <optional>

#include "facts/record_kind.h"
#include "facts/scheduling.h"

namespace analyze {

void Dumper::Note(const fxt::Reader& reader) {
  names_.Note(reader.record());
  states_.Note(reader.record());
  if (options_.relative && !started_) {
    if (const auto time = facts::TimeOf(reader.record(), reader.provider())) {
      started_ = true;
      start_ = *time;
    }
  }
}

void Dumper::Print(const fxt::Reader& reader, fmt::memory_buffer& out) const {
  if (options_.json) {
    PrintJson(reader, out);
  } else {
    PrintText(reader, out);
  }
  out.push_back('\n');
}

}  // namespace analyze
