// SPDX-License-Identifier: BSD-2-Clause
// Opens the sink that command line options describe.
#pragma once

#include <memory>
#include <string>

#include "output/open_timeout.h"
#include "sink/gzip_sink.h"
#include "sink/output.h"
#include "sink/sink.h"
#include "util/result.h"

namespace sink {

struct SinkOptions {
  std::string path;   // "-": standard output
  bool gzip = false;  // also if `path` ends in .gz
  GzipEffort gzip_effort = {};
  output::FileOptions file = {};
};

bool WantsGzip(const SinkOptions& options);

// Opens the file or standard output that `path` names.
util::Result<Output> OpenOutput(const SinkOptions& options);

// Makes the sink of an open output. Compression runs in a thread of its own (AsyncSink).
std::unique_ptr<Sink> MakeSink(Output output, const SinkOptions& options);

// Does both. The caller ignores SIGPIPE.
util::Result<std::unique_ptr<Sink>> OpenSink(const SinkOptions& options);

}  // namespace sink
