// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/symbol_pass.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "analyze/flame/symbol_writer.h"
#include "facts/read_loop.h"
#include "fxt/reader.h"
#include "sink/open_sink.h"
#include "source/input.h"
#include "tools/record/process/schedule.h"
#include "util/clock.h"
#include "util/quantity.h"

namespace tools {
namespace {

constexpr uint64_t kStep = 16'384;  // records between two reads of the clock
constexpr uint64_t kProgressInterval = 250'000'000;

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
  // The recording has ended: real-time priority is not needed.
  BecomeOrdinary();
  auto source = source::OpenInput(path);
  if (!source) return source.TakeError();
  sink::SinkOptions options;
  options.path = path;
  options.gzip = gzip;
  TakeRights(path, options.file);
  auto output = sink::OpenOutput(options);
  if (!output) return output.TakeError();
  const auto file = output->file();
  if (!file) return util::Error{fmt::format("{} is no file any more", path), ""};
  const auto sink = sink::MakeSink(std::move(*output), options);
  const auto give_up = [&](const util::Error& error) {
    file->Discard();
    static_cast<void>(sink->Close());
    return error;
  };

  fxt::Reader reader(**source);
  analyze::SymbolWriter writer(*sink, {});
  const uint64_t begin = util::MonotonicNow();
  uint64_t due = begin + kProgressInterval;
  for (uint64_t records = 1; facts::NextRecord(reader) == fxt::ReadStatus::kRecord; ++records) {
    writer.Add(reader);
    if (records % kStep != 0) continue;
    if (writer.failed()) break;
    if (!goes_on()) return give_up({"stopped by a signal", ""});
    const uint64_t now = util::MonotonicNow();
    if (now - begin > kSymbolTimeout) writer.StopNaming();
    if (now < due || !console.on_terminal()) continue;
    due = now + kProgressInterval;
    console.Progress(fmt::format("finding names: {} functions", writer.functions()));
  }
  if (reader.error() != fxt::ReadError::kNone) {
    return give_up({fmt::format("{}: {}", path, reader.error_message()), ""});
  }
  writer.Finish();
  if (const util::Status status = sink->Close(); !status) return status.error();
  return SymbolPassResult{.file_bytes = sink->bytes_on_disk(),
                          .record_bytes = sink->bytes_accepted(),
                          .functions = writer.functions(),
                          .stacks = writer.named(),
                          .left_out = writer.left_out()};
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
