// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/dump.h"

#include <iterator>
#include <optional>

#include "analyze/record_kind.h"
#include "analyze/scheduling.h"

namespace analyze {

void Dumper::Note(const fxt::Reader& reader) {
  names_.Note(reader.record());
  states_.Note(reader.record());
  if (options_.relative && !started_) {
    if (const auto time = TimeOf(reader.record(), reader.provider())) {
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
