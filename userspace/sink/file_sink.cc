// SPDX-License-Identifier: BSD-2-Clause
#include "sink/file_sink.h"

#include "fxt/record_boundary.h"

namespace sink {

FileSink::~FileSink() { static_cast<void>(Close()); }

bool FileSink::Write(std::span<const std::byte> records) {
  if (output_.failed()) return false;
  const uint64_t before = output_.size();
  if (output_.Write(records)) {
    accepted_ += records.size();
    return true;
  }
  const uint64_t partly = output_.size() - before;
  const size_t whole = fxt::WholeRecordBytes(records, partly);
  // A pipe cannot be cut back; readers accept a truncated tail.
  output_.CutTo(before + whole);
  accepted_ += whole;
  return false;
}

}  // namespace sink
