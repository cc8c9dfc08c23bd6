// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "fxt/archive_writer.h"
#include "fxt/provider_writer.h"
#include "import/perf_importer.h"
#include "import/trace_event/trace_event_importer.h"
#include "import/trace_event/trace_event_stats.h"
#include "perf/file/file_reader.h"
#include "perf/file/seekable_source.h"
#include "sink/open_sink.h"
#include "source/input.h"
#include "source/peek.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/progress.h"
#include "util/quantity.h"

namespace tools {
namespace {

using util::FormatCount;

struct ImportOptions {
  std::string file;
  std::string output;
};

std::string Counts(const std::map<std::string, uint64_t>& counts) {
  std::string text;
  for (const auto& [what, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", FormatCount(count), what);
  }
  return text;
}

void PrintSummary(const std::string& file, const importer::PerfImportStats& stats) {
  PrintNote(kProgram, fmt::format("{} samples, {} of them with a branch stack; {} branches",
                                  FormatCount(stats.samples), FormatCount(stats.branch_stacks),
                                  FormatCount(stats.branches)));
  const auto note = [&](std::string_view text) {
    PrintNote(kProgram, fmt::format("note: {}: {}", file, text));
  };
  if (stats.lost != 0) {
    note(fmt::format("perf lost {} samples or records; the trace has the losses too",
                     FormatCount(stats.lost)));
  }
  if (stats.truncated) note("cut short; read to its last whole record");
  if (stats.unreadable != 0) {
    note(fmt::format("{} records are malformed; the first, {}", FormatCount(stats.unreadable),
                     stats.first_unreadable));
  }
  if (stats.unknown_events != 0) {
    note(fmt::format("{} samples are of events that the file does not declare",
                     FormatCount(stats.unknown_events)));
  }
  if (!stats.skipped.empty()) {
    note(fmt::format("skipped, without a counterpart: {}", Counts(stats.skipped)));
  }
  if (!stats.dropped_fields.empty()) {
    note(fmt::format("dropped fields of samples: {}", Counts(stats.dropped_fields)));
  }
  if (stats.late != 0) {
    note(fmt::format("{} records are out of time order", FormatCount(stats.late)));
  }
  if (stats.dropped_mappings != 0) {
    note(fmt::format("{} mappings were dropped", FormatCount(stats.dropped_mappings)));
  }
  if (stats.refused_records != 0) {
    note(fmt::format("{} records did not fit the format", FormatCount(stats.refused_records)));
  }
}

int ImportPerf(const ImportOptions& options) {
  auto source = perf::OpenFile(options.file);
  if (!source) return Fail(source.error());
  const uint64_t total = (*source)->size().value_or(0);
  // Opened before the output, so that a wrong input leaves no output behind.
  auto reader = perf::FileReader::Open(std::move(*source));
  if (!reader) {
    return Fail({fmt::format("{}: {}", options.file, reader.error().message), reader.error().hint});
  }
  sink::SinkOptions sink_options;
  sink_options.path = options.output;
  sink_options.file = OutputLike(options.file);
  auto out = sink::OpenSink(sink_options);
  if (!out) return Fail(out.error());

  Progress progress("fxt import: " + options.file, total, options.output == "-");
  importer::PerfImportStats stats;
  util::Status read = util::Ok();
  {
    fxt::ArchiveWriter archive(**out);
    fxt::ProviderWriter provider(archive, "perf.data");
    importer::PerfImporter importer(*reader, provider);
    read = importer.Run([&](uint64_t bytes) {
      progress.Update(bytes);
      return !archive.failed();
    });
    stats = importer.stats();
    archive.Flush();
  }
  progress.Clear();
  if (const auto status = (*out)->Close(); !status) {
    return FailOutput(options.output, status.error());
  }
  PrintSummary(options.file, stats);
  if (!read) {
    return Fail({fmt::format("{}: {}", options.file, read.error().message),
                 "the records before it are in the output"});
  }
  return kExitOk;
}

void PrintSummary(const std::string& file, const importer::TraceEventImporter& importer) {
  const importer::TraceEventStats& stats = importer.stats();
  PrintNote(kProgram, importer::StatsText(stats));
  for (const std::string& text : importer::Notes(stats)) {
    PrintNote(kProgram, fmt::format("note: {}: {}", file, text));
  }
}

// The import reads all of the input before it writes.
int ImportTraceEvents(const ImportOptions& options, bool ftrace) {
  auto source = source::OpenInput(options.file);
  if (!source) return Fail(source.error());
  Progress progress("fxt import: " + options.file, **source, options.output == "-");
  importer::TraceEventImporter importer;
  const auto step = [&](uint64_t bytes) {
    progress.Update(bytes);
    return true;
  };
  const util::Status read =
      ftrace ? importer.ReadFtrace(**source, step) : importer.Read(**source, step);
  progress.Clear();
  if (!read) {
    return Fail({fmt::format("{}: {}", options.file, read.error().message), read.error().hint});
  }
  sink::SinkOptions sink_options;
  sink_options.path = options.output;
  sink_options.file = OutputLike(options.file);
  auto out = sink::OpenSink(sink_options);
  if (!out) return Fail(out.error());
  fxt::ArchiveWriter archive(**out);
  const util::Status written = importer.Write(archive);
  archive.Flush();
  if (!written) return Fail(written.error());
  if (const auto status = (*out)->Close(); !status) {
    return FailOutput(options.output, status.error());
  }
  PrintSummary(options.file, importer);
  if (!importer.failure().empty()) {
    return Fail({fmt::format("{}: {}", options.file, importer.failure()),
                 "the records before it are in the output"});
  }
  return kExitOk;
}

int RunImport(const ImportOptions& options) {
  if (const auto status = RefuseSameFile(options.file, options.output); !status) {
    return Fail(status.error());
  }
  // Keeps a pipe open meanwhile.
  auto peeked = source::PeekInput(options.file);
  if (!peeked) return Fail(peeked.error());
  const std::string_view start = peeked->start();
  constexpr std::string_view kPerf = "PERFILE2";
  constexpr std::string_view kPerfOtherByteOrder = "2ELIFREP";
  if (kPerf.starts_with(start.substr(0, kPerf.size())) ||
      kPerfOtherByteOrder.starts_with(start.substr(0, kPerf.size()))) {
    return ImportPerf(options);
  }
  return ImportTraceEvents(options, start.starts_with('#') || start.starts_with('<'));
}

}  // namespace

void AddImport(const Command& program, int& exit_code) {
  auto options = std::make_shared<ImportOptions>();
  const Command command = program.AddSubcommand(
      "import",
      "Convert files of other tools to a trace: perf.data, Trace Event JSON, ftrace text");
  command
      .Add("FILE", options->file,
           "A perf.data file, ftrace text, or JSON of the Trace Event Format; - is standard input")
      .Required();
  AddTraceOutput(command, options->output);
  command.Footer(
      "The format is detected from the content. JSON (clang -ftime-trace, Chrome, Node.js and many "
      "more) may "
      "be\n"
      "gzip, in any order and without its end; events are put in the order of time, through a\n"
      "temporary file in $TMPDIR where there are many. docs/import.md says what becomes what.\n"
      "\n"
      "Of perf it takes files of `perf record` and of simpleperf from machines of this byte "
      "order,\n"
      "compressed (-z) or not. Samples with a branch stack (perf record -b) become last-branch "
      "blobs\n"
      "and instants, others instants and backtraces; times stay those of perf's clock.\n"
      "docs/lbr.md has the details. What is left out is counted on standard error.\n"
      "\n"
      "Examples:\n"
      "  fxt import trace.json.gz -o trace.fxt\n"
      "  fxt import perf.data -o trace.fxt && fxt lbr trace.fxt\n"
      "  ssh host perf record -b -a -o - -- sleep 1 | fxt import - -o trace.fxt.gz");
  command.OnRun([options, &exit_code] { exit_code = RunImport(*options); });
}

}  // namespace tools
