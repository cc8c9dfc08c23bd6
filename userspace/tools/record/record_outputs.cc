// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/record_outputs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "output/output_place.h"

namespace tools {
namespace {

constexpr const char* kStatsOption = "--stats-json";

util::Result<output::OutputPlace> PlaceOf(const std::string& path, const std::string& option) {
  if (path != "-") return output::FindPlace(path, option);
  output::OutputPlace place;
  struct stat status = {};
  if (fstat(STDOUT_FILENO, &status) == 0) place.existing = status;
  place.magic_link = true;
  return place;
}

// A file that is standard output as well loses its name to the trace.
util::Status RefuseOneFileForBoth(const RecordOptions& options, output::OutputPlace& trace) {
  auto stats = PlaceOf(options.stats_json, kStatsOption);
  if (!stats) return stats.TakeError();
  if (options.stats_json == "-" && trace.magic_link) return util::Ok();
  if (output::IsSamePlace(trace, *stats)) {
    return util::Error{
        fmt::format("--stats-json {} and the trace are one file", options.stats_json),
        "name another file with --stats-json"};
  }
  trace.name += ".old";
  trace.existing.reset();
  if (trace.directory && output::IsSamePlace(trace, *stats)) {
    return util::Error{
        fmt::format("--stats-json {} is the name of the previous trace", options.stats_json),
        "name another file with --stats-json"};
  }
  return util::Ok();
}

bool IsStdout(const output::OutputPlace& trace) {
  struct stat status = {};
  return trace.magic_link && trace.existing && fstat(STDOUT_FILENO, &status) == 0 &&
         status.st_dev == trace.existing->st_dev && status.st_ino == trace.existing->st_ino;
}

util::Result<sink::Output> OpenStats(const std::string& path, bool trace_on_stdout) {
  if (path != "-") {
    output::FileOptions options;
    options.option = kStatsOption;
    return sink::Output::OpenFile(path, options);
  }
  const std::string name = trace_on_stdout ? "standard error" : "standard output";
  util::UniqueFd fd(fcntl(trace_on_stdout ? STDERR_FILENO : STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!fd) return util::Error{fmt::format("cannot write {}: {}", name, strerror(errno)), ""};
  return sink::Output(std::move(fd), name);
}

}  // namespace

bool RecordOutputs::TraceGoesToStdout(const RecordOptions& options) {
  if (options.output == "-") return true;
  const auto place = PlaceOf(options.output, "-o");
  return place && IsStdout(*place);
}

util::Result<RecordOutputs> RecordOutputs::Open(const RecordOptions& options,
                                                output::KeepWaiting keep_waiting) {
  RecordOutputs outputs;
  auto place = PlaceOf(options.output, "-o");
  if (!place) return place.TakeError();
  outputs.trace_on_stdout_ = options.output == "-" || IsStdout(*place);
  if (!options.stats_json.empty()) {
    if (auto status = RefuseOneFileForBoth(options, *place); !status) return status.TakeError();
    auto stats = OpenStats(options.stats_json, outputs.trace_on_stdout_);
    if (!stats) return stats.TakeError();
    outputs.stats_.emplace(std::move(*stats));
  }
  sink::SinkOptions sink_options;
  sink_options.path = options.output;
  sink_options.file.recording = true;
  sink_options.file.keep_waiting = std::move(keep_waiting);
  auto output = sink::OpenOutput(sink_options);
  if (!output) return output.TakeError();
  outputs.trace_.emplace(std::move(*output));
  return outputs;
}

util::Status RecordOutputs::WriteStats(std::string_view json) {
  if (!stats_) return util::Ok();
  stats_->Write(std::as_bytes(std::span(json.data(), json.size())));
  return stats_->Close();
}

}  // namespace tools
