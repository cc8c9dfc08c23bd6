// SPDX-License-Identifier: BSD-2-Clause
// A capture from a file, whichever kind of file it is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fxt/byte_source.h"
#include "measure/capture.h"
#include "measure/collect/collector.h"
#include "util/result.h"

namespace measure {

struct LoadOptions {
  // Called every few ten thousand records: bytes of the uncompressed trace that are done, and the
  // source, for its own account. Never for summaries.
  std::function<void(uint64_t done, const fxt::ByteSource& source)> progress;
  // For traces; a summary covers its whole capture.
  CollectorOptions collector;
  // Receives a line for each fault of the file that does not prevent reading. May be null.
  std::vector<std::string>* notes = nullptr;
};

// Reads a trace, gzip or not, or a summary; `path` "-" is standard input. Errors name the file: it
// cannot be opened, is neither, or is damaged so that the rest cannot be read.
util::Result<Capture> Load(const std::string& path, const LoadOptions& options = {});
// The same of a file that may have several summaries, one behind another: all of them.
util::Result<std::vector<Capture>> LoadAll(const std::string& path,
                                           const LoadOptions& options = {});

}  // namespace measure
