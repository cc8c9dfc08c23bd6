// SPDX-License-Identifier: BSD-2-Clause
// Reads the header of a perf.data file (tools/perf/Documentation/perf.data-file-format.txt): the
// mode, the position of the records and, in file mode, events and features.
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
  // Empty: up to the end of the input (pipe mode, or a recorder killed before it wrote the size).
  std::optional<uint64_t> data_end;
  // The file is shorter than its header says.
  bool truncated = false;
};

// Reads the header and positions `source` at the first record. Errors: not a perf.data file, the
// other byte order, the first format (before Linux 2.6.36), or an inconsistent header.
util::Result<FileHeader> ReadFileHeader(SeekableSource* source);

}  // namespace perf
