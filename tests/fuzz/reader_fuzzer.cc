// SPDX-License-Identifier: BSD-2-Clause
// A coverage-guided fuzzer (libFuzzer) for everything that reads a trace: the reader in all modes,
// and the consumers of the `fxt` tool.
// The first byte selects the mode; the rest is the trace.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "analyze/check/checker.h"
#include "analyze/diff/diff_document.h"
#include "analyze/diff/diff_junit.h"
#include "analyze/document/render.h"
#include "analyze/flame/flame_stacks.h"
#include "analyze/flame/flame_text.h"
#include "analyze/merge/trace_merger.h"
#include "analyze/page/path_page.h"
#include "analyze/path/path_document.h"
#include "analyze/path/path_set.h"
#include "analyze/path/path_text.h"
#include "analyze/path/path_tracks.h"
#include "analyze/report/report.h"
#include "analyze/rewrite/recoverer.h"
#include "analyze/rewrite/trimmer.h"
#include "analyze/show/dump.h"
#include "analyze/show/overview.h"
#include "analyze/show/overview_report.h"
#include "analyze/show/trace_event_writer.h"
#include "compare/compare.h"
#include "export/perfetto/perfetto_export.h"
#include "facts/read_loop.h"
#include "fxt/archive_writer.h"
#include "fxt/reader.h"
#include "import/trace_event/trace_event_importer.h"
#include "measure/collect/collector.h"
#include "measure/store/summary_file.h"
#include "path/path_reader.h"
#include "query/database.h"
#include "source/gzip_source.h"
#include "symbols/demangle.h"
#include "symbols/elf_file.h"
#include "symbols/perf_map.h"
#include "tables/rows/schema.h"
#include "unwind/frame_section.h"
#include "unwind/unwind_table.h"
#include "util/unique_fd.h"

namespace {

// Far below what the options allow.
constexpr size_t kMemoryLimit = size_t{64} << 20;

void Require(bool condition) {
  if (!condition) std::abort();
}

// Yields the bytes in pieces of changing size.
class Pieces final : public fxt::ByteSource {
 public:
  explicit Pieces(std::span<const std::byte> bytes) : bytes_(bytes) {}
  fxt::ReadResult Read(std::span<std::byte> into) override {
    if (++calls_ % 5 == 0) return fxt::ReadResult::Of(fxt::ReadResult::Kind::kAgain);
    const size_t n = std::min({into.size(), bytes_.size() - next_, 1 + calls_ * 7 % 64});
    if (n == 0) return fxt::ReadResult::Of(fxt::ReadResult::Kind::kEnd);
    std::memcpy(into.data(), bytes_.data() + next_, n);
    next_ += n;
    return fxt::ReadResult::Bytes(n);
  }

 private:
  std::span<const std::byte> bytes_;
  size_t next_ = 0;
  size_t calls_ = 0;
};

class NullSink final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    Require(records.size() % fxt::kWordBytes == 0);
    return true;
  }
};

// Takes any number of bytes, and counts them.
class NullBytes final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> more) override {
    bytes += more.size();
    return true;
  }
  uint64_t bytes = 0;
};

class MemorySink final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    bytes.insert(bytes.end(), records.begin(), records.end());
    return true;
  }
  std::vector<std::byte> bytes;
};

fxt::ReaderOptions Options(bool recover) {
  fxt::ReaderOptions options;
  options.recover = recover;
  options.window_bytes = 1 << 15;
  options.max_record_bytes = 1 << 18;
  options.max_table_bytes = 4 << 20;
  return options;
}

// Calls `each` for every record and checks the invariants of the reader.
template <typename Each>
void Read(fxt::ByteSource& source, bool recover, size_t bytes, Each&& each) {
  fxt::Reader reader(source, Options(recover));
  for (uint64_t steps = 0;; ++steps) {
    Require(steps <= 2 * bytes + 100);
    const fxt::ReadStatus status = reader.Next();
    if (status == fxt::ReadStatus::kEnd || status == fxt::ReadStatus::kError) break;
    if (status != fxt::ReadStatus::kRecord) continue;
    Require(reader.position() <= bytes);
    Require(reader.position() - reader.offset() == reader.words().size_bytes());
    each(reader);
  }
  Require(reader.memory_bytes() < kMemoryLimit);
  Require(reader.error() == fxt::ReadError::kNone || !reader.error_message().empty());
}

// Reads switches and wakeups by VisitSchedulingRecords().
measure::Capture CollectFastPath(fxt::ByteSource& source, bool recover,
                                 const measure::CollectorOptions& options) {
  fxt::Reader reader(source, Options(recover));
  measure::Collector collector(options);
  for (;;) {
    collector.AddFastPath(reader, 100);
    const fxt::ReadStatus status = reader.Next();
    if (status == fxt::ReadStatus::kEnd || status == fxt::ReadStatus::kError) break;
    if (status == fxt::ReadStatus::kRecord) collector.Add(reader);
  }
  return collector.Finish();
}

// Puts the bytes into a file without a name, for what reads files only. Returns its path.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes) : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    Require(fd_.valid());
    Require(write(fd_.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  util::UniqueFd fd_;
};

void ReadElf(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  auto elf = symbols::ElfFile::Open(file.path());
  if (!elf) return;
  symbols::SymbolTable functions;
  elf->ReadFunctions(&functions);
  functions.Finish();
  functions.Find(elf->AddressOf(0x1000).value_or(0));
  elf->ReadBytes(0x1000, 16);
  const unwind::UnwindTable table = unwind::UnwindTable::Read(*elf);
  if (!table.empty()) table.Find(table.file_offset() + 0x100);
}

// Makes a table of a section alone, which needs no valid file around it.
void ReadUnwindSection(std::span<const std::byte> bytes, bool is_debug) {
  const unwind::FrameSection section{.bytes = bytes, .address = 0x2000, .is_debug = is_debug};
  const std::vector<symbols::LoadSegment> segments = {{.file_offset = 0,
                                                       .file_size = 1 << 20,
                                                       .address = 0,
                                                       .memory_size = 1 << 20,
                                                       .executable = true}};
  const unwind::UnwindTable table = unwind::UnwindTable::Make(section, segments);
  Require(table.words().size() <= (size_t{1} << 20) + 64 * bytes.size());
  for (uint64_t offset = 0; offset < 4096; offset += 64) table.Find(offset);
}

class NullResult final : public query::ResultWriter {
 public:
  void Begin(std::span<const std::string>) override {}
  void Row(std::span<const tables::Cell> row) override {
    for (const tables::Cell& cell : row) {
      if (cell.kind == tables::Cell::Kind::kText) Require(cell.bytes <= (size_t{64} << 20));
    }
  }
  void End() override {}
};

// Reads all rows of all tables, and joins two.
void ReadTables(std::span<const std::byte> bytes) {
  const MemoryFile file(bytes);
  auto database = query::Database::Open(file.path(), {});
  if (!database) return;
  NullResult rows;
  for (const tables::TableInfo& info : tables::Tables()) {
    (void)(*database)->Run("SELECT * FROM " + std::string(info.name), rows);
  }
  (void)(*database)->Run(
      "SELECT sum(w.dur) FROM waits w JOIN threads t USING (tid) WHERE w.ts > 100", rows);
}

// Requires that the parts of all paths follow one another and add up, and renders them.
void ReadPaths(fxt::ByteSource& source, bool recover) {
  path::PathOptions options;
  options.wants_span = [](std::string_view, std::string_view, bool) { return true; };
  options.wants_thread = [](fxt::Koid, std::string_view) { return true; };
  options.arguments = path::KeptArguments::kAll;
  options.max_thread_bytes = options.max_cpu_bytes = 4096;
  analyze::PathSet set(size_t{4} << 20);
  path::PathReader paths(options,
                         [&](const path::Request& request, std::span<const path::Part> parts) {
                           uint64_t at = request.begin;
                           for (const path::Part& part : parts) {
                             Require(part.begin == at && part.length > 0);
                             at += part.length;
                           }
                           Require(at == request.end);
                           set.Add(request, parts);
                         });
  fxt::Reader reader(source, Options(recover));
  facts::ReadRecords(reader, paths);
  paths.Finish();
  set.SetBuilder(paths.builder());
  text::TextWriter out;
  analyze::WritePathJson(out, set);
  analyze::WritePathFolded(out, set);
  NullSink sink;
  Require(analyze::WritePathTracks(sink, set, 7));
  if (set.entries().empty()) return;
  analyze::PathDocumentOptions document;
  document.slow_from = 0.9;
  analyze::document::RenderText(analyze::PathDocument(set, document));
  analyze::PathPage(set, document);
}

// Renders a summary: a report, and a comparison with its own double.
void TellOf(const measure::Capture& capture) {
  const analyze::ReportWatcher nothing(3);
  const analyze::Report report{capture, nothing, {}, 3};
  analyze::document::RenderText(analyze::ReportDocument(report));
  analyze::document::RenderJson(analyze::ReportDocument(report));
  comparison::DiffInput input;
  for (int i = 0; i < 3; ++i) {
    input.base.push_back(capture);
    input.next.push_back(capture);
    input.next.back().Merge(capture);
  }
  input.noise = input.base;
  const auto diff = comparison::Compare(std::move(input));
  if (!diff) return;
  const analyze::document::Document document = analyze::DiffDocument(*diff, 0);
  analyze::document::RenderText(document);
  analyze::document::RenderJson(document);
  analyze::document::RenderMarkdown(document);
  analyze::DiffJunit(*diff);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const unsigned mode = data[0];
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data + 1), size - 1);
  const bool recover = (mode & 1) != 0;
  fxt::MemorySource memory(bytes);
  Pieces pieces(bytes);
  fxt::ByteSource* chosen = &memory;
  if ((mode & 2) != 0) chosen = &pieces;
  fxt::ByteSource& source = *chosen;
  switch (mode >> 2 & 31) {
    case 0: {
      analyze::OverviewBuilder builder;
      fxt::Reader reader(source, Options(recover));
      for (fxt::ReadStatus status = reader.Next();
           status == fxt::ReadStatus::kRecord || status == fxt::ReadStatus::kNeedMore;
           status = reader.Next()) {
        if (status == fxt::ReadStatus::kRecord) builder.Add(reader);
      }
      const analyze::Overview summary = builder.Finish(reader);
      analyze::OverviewText("fuzz", summary, 10);
      analyze::OverviewJson("fuzz", summary);
      break;
    }
    case 1:
      analyze::CheckTrace(source, {}, [](const analyze::Finding&) {});
      break;
    case 2:
    case 3: {
      analyze::Dumper dumper({.json = (mode >> 2 & 1) != 0, .raw = true});
      fmt::memory_buffer out;
      Read(source, recover, bytes.size(), [&](const fxt::Reader& reader) {
        dumper.Note(reader);
        out.clear();
        dumper.Print(reader, out);
        Require(std::find(out.begin(), out.end(), '\n') == out.end() - 1);
      });
      break;
    }
    case 4: {
      text::TextWriter out;
      // The fuzzer has no files that a trace may name.
      analyze::TraceEventWriter writer(
          out, {.cpu_slices = true,
                .symbols = {.enabled = false, .files = {}, .kallsyms = {}, .lines = false}});
      Read(source, recover, bytes.size(),
           [&](const fxt::Reader& reader) { Require(writer.Add(reader).ok()); });
      Require(writer.Finish().ok());
      break;
    }
    case 5: {
      NullSink sink;
      analyze::RecoverTrace(source, sink, nullptr);
      break;
    }
    case 6: {
      NullSink sink;
      analyze::TrimOptions options;
      options.filter.time = analyze::TimeRange(analyze::Moment{false, 1000}, std::nullopt);
      options.filter.threads.Add("w*");
      analyze::Trimmer trimmer(sink, std::move(options));
      Read(source, recover, bytes.size(), [&](const fxt::Reader& reader) { trimmer.Add(reader); });
      Require(trimmer.Finish());
      break;
    }
    case 8:
    case 9: {
      analyze::ReportWatcher watcher(3);
      measure::CollectorOptions options;
      options.watcher = &watcher;
      if ((mode >> 2 & 1) != 0) {
        options.from = 100;
        options.from_is_relative = true;
        options.to = 2000;
      }
      measure::Collector collector(options);
      Read(source, recover, bytes.size(),
           [&](const fxt::Reader& reader) { collector.Add(reader); });
      const measure::Capture capture = collector.Finish();
      const analyze::Report report{capture, watcher, {}, 3};
      analyze::document::RenderText(analyze::ReportDocument(report));
      analyze::document::RenderJson(analyze::ReportDocument(report));
      const std::string payload = measure::EncodeSummaryPayload(capture);
      const auto again = measure::DecodeSummaryPayload(std::as_bytes(std::span(payload)));
      Require(again.ok() && *again == capture);
      options.watcher = nullptr;
      fxt::MemorySource memory_again(bytes);
      Pieces pieces_again(bytes);
      if ((mode & 2) != 0) {
        Require(CollectFastPath(pieces_again, recover, options) == capture);
      } else {
        Require(CollectFastPath(memory_again, recover, options) == capture);
      }
      break;
    }
    case 10: {
      auto capture = measure::DecodeSummaryPayload(bytes);
      if (!capture) break;
      // The encoding of a capture is unique.
      const std::string payload = measure::EncodeSummaryPayload(*capture);
      Require(std::ranges::equal(std::as_bytes(std::span(payload)), bytes));
      if (recover) TellOf(*capture);
      capture->Merge(*capture);
      break;
    }
    case 11:
      (void)measure::DecodeSummaries(bytes);
      break;
    case 12: {
      const auto kind = static_cast<analyze::FlameKind>(bytes.size() % 3);
      analyze::FlameBuilder builder(
          kind, {.enabled = false, .files = {}, .kallsyms = {}, .lines = false});
      Read(source, recover, bytes.size(), [&](const fxt::Reader& reader) { builder.Add(reader); });
      const analyze::FoldedStacks stacks = builder.Finish();
      text::TextWriter out;
      analyze::WriteFolded(out, stacks, &stacks);
      analyze::WriteSpeedscope(out, stacks, kind, "fuzz");
      break;
    }
    case 13: {
      const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (const auto table = symbols::ParsePerfMap(text)) table->Find(0x1000);
      symbols::Demangle(text);
      symbols::Demangle("_R" + std::string(text));
      break;
    }
    case 14:
      ReadElf(bytes);
      break;
    case 16:
    case 17: {
      // So little memory that some items go through a file.
      importer::TraceEventImporter importer(size_t{64} << 10);
      if (!((mode >> 2 & 1) != 0 ? importer.ReadFtrace(source) : importer.Read(source))) break;
      MemorySink sink;
      fxt::ArchiveWriter archive(sink);
      Require(importer.Write(archive).ok());
      Require(archive.Flush());
      fxt::MemorySource written(sink.bytes);
      const analyze::CheckResult result =
          analyze::CheckTrace(written, {}, [](const analyze::Finding&) {});
      Require(result.errors == 0 && result.unreadable.empty());
      break;
    }
    case 18: {
      if (chosen != &memory) break;
      const analyze::TraceFacts facts = analyze::ReadFacts(source);
      analyze::KoidSpace space;
      const analyze::KoidMap first = space.Add(facts, false, 0);
      const analyze::KoidMap second = space.Add(facts, recover, 1);
      analyze::TraceMerger merger(size_t{64} << 10);
      Require(merger.Add(memory, 0, first, false).ok());
      Require(merger.Add(memory, -1000, second, true).ok());
      NullSink sink;
      Require(merger.Write(sink).ok());
      break;
    }
    case 19:
      ReadPaths(source, recover);
      break;
    case 20:
      ReadTables(bytes);
      break;
    case 21:
    case 22: {
      NullBytes sink;
      exporting::perfetto::PerfettoExport exporter(
          sink, (mode >> 2 & 1) != 0 ? exporting::perfetto::SampleFormat::kStackSample
                                     : exporting::perfetto::SampleFormat::kPerfSample);
      Read(source, recover, bytes.size(),
           [&](const fxt::Reader& reader) { Require(exporter.Add(reader)); });
      Require(exporter.Finish());
      Require(exporter.counts().bytes == sink.bytes);
      break;
    }
    case 23:
      ReadUnwindSection(bytes, recover);
      break;
    default: {
      source::GzipSource gzip(std::make_unique<Pieces>(bytes));
      std::byte part[4096];
      for (size_t total = 0; total < (size_t{1} << 20);) {
        const fxt::ReadResult result = gzip.Read(part);
        if (result.kind == fxt::ReadResult::Kind::kAgain) continue;
        if (result.kind != fxt::ReadResult::Kind::kBytes) break;
        total += result.bytes;
      }
    }
  }
  return 0;
}
