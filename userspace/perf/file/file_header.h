// SPDX-License-Identifier: BSD-2-Clause
// The head of a perf.data file (tools/perf/Documentation/perf.data-file-format.txt): which of its
// two forms it has, where its records stand, and in the file form the events and features, too.
#pragma once

#include <cstdint>
#include <optional>

#include "perf/file/file_info.h"
#include "perf/file/seekable_source.h"
#include "util/result.h"

namespace perf {

struct FileHeader {
  FileInfo info;
  uint64_t data_offset = 0;
  // Empty: to the end of the input (pipe mode, or a recorder that was killed before it wrote the
  // size).
  std::optional<uint64_t> data_end;
  // The file is shorter than its header says.
  bool truncated = false;
};

// Reads the head and leaves `source` at the first record. Error: not a perf.data file, one of the
// other byte order or of the first format (before Linux 2.6.36), or a head that contradicts itself.
util::Result<FileHeader> ReadFileHeader(SeekableSource* source);

}  // namespace perf
