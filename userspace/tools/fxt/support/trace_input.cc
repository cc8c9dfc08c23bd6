// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/trace_input.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <utility>

#include "fxt/archive_writer.h"
#include "import/trace_event/trace_event_importer.h"
#include "import/trace_event/trace_event_stats.h"
#include "output/unnamed_file.h"
#include "sink/file_sink.h"
#include "source/input.h"

namespace tools {
namespace {

sink::FileSink SinkTo(int fd) {
  return sink::FileSink(sink::Output(util::UniqueFd(dup(fd)), "a temporary file"));
}

bool IsRegular(const std::string& path) {
  struct stat info;
  return path != "-" && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

util::Result<std::unique_ptr<fxt::ByteSource>> TraceInput::Open() const {
  if (!copy_) return source::OpenInput(path_);
  std::error_code error;
  std::unique_ptr<fxt::ByteSource> source = fxt::MappedFileSource::Map(copy_.get(), error);
  if (source == nullptr) return output::UnnamedFileFailed("map");
  return source;
}

util::Status TraceInput::Copy() {
  auto source = source::OpenInput(path_);
  if (!source) return source.TakeError();
  auto made = output::MakeUnnamedFile();
  if (!made) return made.TakeError();
  sink::FileSink sink = SinkTo(made->get());
  std::vector<std::byte> chunk(size_t{1} << 18);
  for (;;) {
    const fxt::ReadResult read = (*source)->Read(chunk);
    if (read.kind == fxt::ReadResult::Kind::kAgain) continue;
    if (read.kind == fxt::ReadResult::Kind::kError) {
      return util::Error{fmt::format("{}: {}", path_, (*source)->ErrorText()), ""};
    }
    if (read.kind != fxt::ReadResult::Kind::kBytes) break;
    if (!sink.Write({chunk.data(), read.bytes})) break;
  }
  if (auto status = sink.Close(); !status) return status;
  copy_ = std::move(*made);
  return util::Ok();
}

util::Status TraceInput::Import() {
  auto source = Open();
  if (!source) return source.TakeError();
  importer::TraceEventImporter importer;
  if (auto status = importer.Read(**source); !status) {
    return util::Error{fmt::format("{}: neither a trace nor Trace Event JSON", path_),
                       "fxt import converts perf.data and ftrace text"};
  }
  auto made = output::MakeUnnamedFile();
  if (!made) return made.TakeError();
  sink::FileSink sink = SinkTo(made->get());
  fxt::ArchiveWriter archive(sink);
  if (auto status = importer.Write(archive); !status) return status;
  archive.Flush();
  if (auto status = sink.Close(); !status) return status;
  copy_ = std::move(*made);
  notes_.push_back(importer::StatsText(importer.stats()));
  for (const std::string& note : importer::Notes(importer.stats())) notes_.push_back(note);
  if (!importer.failure().empty()) notes_.push_back(importer.failure());
  return util::Ok();
}

util::Result<TraceInput> TraceInput::Prepare(const std::string& path) {
  TraceInput input(path);
  if (!IsRegular(path)) {
    if (auto status = input.Copy(); !status) return status.TakeError();
  }
  auto source = input.Open();
  if (!source) return source.TakeError();
  std::array<std::byte, fxt::kWordBytes> start{};
  size_t have = 0;
  while (have < start.size()) {
    const fxt::ReadResult read = (*source)->Read(std::span(start).subspan(have));
    if (read.kind == fxt::ReadResult::Kind::kAgain) continue;
    if (read.kind != fxt::ReadResult::Kind::kBytes) break;
    have += read.bytes;
  }
  uint64_t word = 0;
  std::memcpy(&word, start.data(), sizeof word);
  if (word == fxt::kMagicRecord || word == fxt::kMagicRecordByteSwapped) return input;
  if (auto status = input.Import(); !status) return status.TakeError();
  return input;
}

}  // namespace tools
