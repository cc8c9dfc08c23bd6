// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/symbol_pass.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "sink/open_sink.h"
#include "tools/record/symbol_process.h"
#include "util/quantity.h"

namespace tools {
namespace {

constexpr int kPollMs = 100;

// The new file has the rights of the recording.
void TakeRights(const std::string& path, output::FileOptions& options) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return;
  options.mode = status.st_mode & 0777;
  options.group = status.st_gid;
}

}  // namespace

util::Result<SymbolPassResult> WriteSymbols(const std::string& path, bool gzip, Console& console,
                                            const std::function<bool()>& goes_on) {
  auto process = SymbolProcess::Start(path, kSymbolTimeout);
  if (!process) return process.TakeError();
  sink::SinkOptions options;
  options.path = path;
  options.gzip = gzip;
  TakeRights(path, options.file);
  auto output = sink::OpenOutput(options);
  if (!output) return output.TakeError();
  const auto file = output->file();
  if (!file) return util::Error{fmt::format("{} is not a regular file any more", path), ""};
  const auto sink = sink::MakeSink(std::move(*output), options);
  const auto give_up = [&](const util::Error& error) {
    file->Discard();
    static_cast<void>(sink->Close());
    return error;
  };

  for (;;) {
    auto event = (*process)->Next(kPollMs);
    if (!event) return give_up(event.error());
    if (!goes_on()) return give_up({"stopped by a signal", ""});
    if (*event == SymbolProcess::Event::kEnd) break;
    if (*event == SymbolProcess::Event::kRecords && !sink->Write((*process)->records())) break;
    if (*event == SymbolProcess::Event::kCounts && console.on_terminal()) {
      console.Progress(fmt::format("finding names: {} functions", (*process)->counts().functions));
    }
  }
  if (const util::Status status = sink->Close(); !status) return status.error();
  const SymbolProcess::Counts& counts = (*process)->counts();
  return SymbolPassResult{.file_bytes = sink->bytes_on_disk(),
                          .record_bytes = sink->bytes_accepted(),
                          .functions = counts.functions,
                          .stacks = counts.stacks,
                          .left_out = counts.left_out};
}

std::string DescribeNames(const SymbolPassResult& names) {
  std::string text =
      fmt::format("{} functions named in {} stacks", util::FormatCount(names.functions),
                  util::FormatCount(names.stacks));
  if (names.left_out != 0) {
    text += fmt::format("; {} without names: it would have taken too long, or too much memory",
                        util::FormatCount(names.left_out));
  }
  return text;
}

}  // namespace tools
