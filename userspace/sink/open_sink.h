// SPDX-License-Identifier: BSD-2-Clause
// The sink that a command line asks for.
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

// What `path` names.
util::Result<Output> OpenOutput(const SinkOptions& options);

// The sink of an output that is open. Compression has a thread of its own, and a
// writer that is ahead of it helps.
std::unique_ptr<Sink> MakeSink(Output output, const SinkOptions& options);

// Both. SIGPIPE has to be ignored by the caller.
util::Result<std::unique_ptr<Sink>> OpenSink(const SinkOptions& options);

}  // namespace sink
