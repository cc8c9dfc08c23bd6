// SPDX-License-Identifier: BSD-2-Clause
#include "sink/open_sink.h"

#include <utility>

#include "sink/async_sink.h"
#include "sink/file_sink.h"
#include "sink/output.h"

namespace sink {

bool WantsGzip(const SinkOptions& options) { return options.gzip || options.path.ends_with(".gz"); }

util::Result<Output> OpenOutput(const SinkOptions& options) {
  auto output =
      options.path == "-" ? Output::OpenStdout() : Output::OpenFile(options.path, options.file);
  if (output && options.file.keep_waiting) output->WaitWhile(options.file.keep_waiting);
  return output;
}

std::unique_ptr<Sink> MakeSink(Output output, const SinkOptions& options) {
  // A write to the page cache costs less than passing the bytes to another thread, which may have
  // to wait for a CPU on a busy machine.
  if (!WantsGzip(options)) return std::make_unique<FileSink>(std::move(output));
  return std::make_unique<AsyncSink>(
      std::make_unique<GzipSink>(std::move(output), options.gzip_effort));
}

util::Result<std::unique_ptr<Sink>> OpenSink(const SinkOptions& options) {
  auto output = OpenOutput(options);
  if (!output.ok()) return output.TakeError();
  return MakeSink(std::move(*output), options);
}

}  // namespace sink
