// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "export/clickhouse/database.h"
#include "export/export_trace.h"
#include "export/file_table_sink.h"
#include "export/sqlite_table_sink.h"
#include "sink/open_sink.h"
#include "source/input.h"
#include "tables/rows/text_pool.h"
#include "text/clean_text.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/fleet_export.h"
#include "tools/fxt/perfetto_trace.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/progress.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

struct ExportOptions {
  std::vector<std::string> files;
  std::string format = "sqlite";
  std::string output;
  std::vector<std::string> tables;
  std::string stacks = "stack-sample";
  bool gzip = false;
  bool csv_safe = false;
  FleetOptions fleet;
};

util::Result<std::vector<tables::Table>> ChosenTables(const ExportOptions& options) {
  std::vector<tables::Table> chosen;
  for (const tables::TableInfo& info : tables::Tables()) {
    if (options.tables.empty()) chosen.push_back(info.table);
  }
  for (const std::string& name : options.tables) {
    const auto table = tables::TableNamed(name);
    if (!table) {
      std::string known;
      for (const tables::TableInfo& info : tables::Tables()) known += fmt::format(" {}", info.name);
      return util::Error{fmt::format("there is no table \"{}\"", name), "tables:" + known};
    }
    if (std::find(chosen.begin(), chosen.end(), *table) == chosen.end()) chosen.push_back(*table);
  }
  return chosen;
}

util::Result<std::unique_ptr<exporting::TableSink>> OpenSink(
    const ExportOptions& options, const std::vector<tables::Table>& tables) {
  using exporting::RowFormat;
  const auto file = OutputLike(options.files.front());
  if (options.csv_safe && options.format != "csv") {
    return util::Error{"--csv-safe is for CSV", "--format csv"};
  }
  if (options.format == "sqlite") {
    if (options.gzip) return util::Error{"a database cannot be compressed: --gzip is for text", ""};
    return exporting::SqliteTableSink::Open(options.output, tables, file);
  }
  for (const RowFormat format : {RowFormat::kCsv, RowFormat::kTsv, RowFormat::kRowBinary}) {
    if (options.format != NameOf(format)) continue;
    return exporting::FileTableSink::Open(
        {.path = options.output,
         .format = options.csv_safe ? RowFormat::kCsvSafe : format,
         .gzip = options.gzip,
         .tables = tables,
         .file = file});
  }
  return util::Error{fmt::format("there is no format \"{}\"", options.format),
                     "formats: sqlite csv tsv rowbinary perfetto"};
}

// Rows identify their capture by its number only.
util::Error SameCapture(const std::string& one, const std::string& other) {
  if (one == other) return {fmt::format("{} is given twice", text::CleanText(one)), ""};
  return {
      fmt::format("{} and {} are the same capture", text::CleanText(one), text::CleanText(other)),
      "their rows would be indistinguishable: export one of them, or each to its own output"};
}

// Checks that the files can be opened and are distinct.
util::Status CheckInputs(const std::vector<std::string>& files) {
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  for (const std::string& file : files) {
    struct stat status = {};
    const int found = file == "-" ? fstat(STDIN_FILENO, &status) : stat(file.c_str(), &status);
    if (found == 0) {
      const auto [place, is_new] = seen.try_emplace({status.st_dev, status.st_ino}, file);
      if (!is_new) return SameCapture(place->second, file);
    }
    // Reading a pipe consumes it.
    if (found == 0 && !S_ISREG(status.st_mode)) continue;
    if (file == "-") continue;
    if (auto source = source::OpenInput(file); !source) return source.TakeError();
  }
  return util::Ok();
}

using FilesByCapture = std::map<int64_t, std::string>;

// Adds a trace; also fails if reading ended early. `prints`: the tables go to standard output.
util::Status AddTrace(const std::string& file, const std::vector<tables::Table>& tables,
                      FilesByCapture& added, tables::TextPool& texts, exporting::TableSink& sink,
                      bool prints, std::optional<util::Error>& damage) {
  auto source = source::OpenInput(file);
  if (!source) return source.TakeError();
  Progress progress("fxt export: " + file, **source, prints);
  exporting::TraceExport what{
      .file = file, .tables = tables, .on_begin = {}, .progress = {}, .on_end = {}};
  what.on_begin = [&](int64_t capture) {
    const auto [place, is_new] = added.try_emplace(capture, file);
    return is_new ? util::Ok() : util::Status(SameCapture(place->second, file));
  };
  what.progress = [&](uint64_t done) { progress.Update(done); };
  what.on_end = [&](const tables::Scan& scan) {
    progress.Clear();
    WarnAboutDamage(file, scan.faults());
  };
  auto exported = exporting::ExportTrace(what, **source, texts, sink);
  if (!exported) return exported.TakeError();
  if (exported->read_error.empty()) return util::Ok();
  util::Error error{fmt::format("{}: {}", file, exported->read_error),
                    "the records before it are exported; fxt recover may save the rest"};
  if (exported->rows <= 1) return util::Error{error.message, ""};
  if (!damage) damage = std::move(error);
  return util::Ok();
}

// The destination decides which options apply.
enum Destination : unsigned { kToFiles = 1, kToFleet = 2, kSchemaAlone = 4 };

struct MeaningOf {
  const char* option;
  unsigned destinations;
};

constexpr MeaningOf kMeanings[] = {
    {"FILE", kToFiles | kToFleet},
    {"--format", kToFiles},
    {"--output", kToFiles},
    {"--table", kToFiles | kToFleet},
    {"--gzip", kToFiles},
    {"--csv-safe", kToFiles},
    {"--stacks", kToFiles},
    {"--clickhouse", kToFleet},
    {"--database", kToFleet | kSchemaAlone},
    {"--host", kToFleet},
    {"--label", kToFleet},
    {"--cluster", kSchemaAlone},
};

Destination DestinationOf(const Command& command) {
  if (command.Has("--print-schema")) return kSchemaAlone;
  return command.Has("--clickhouse") ? kToFleet : kToFiles;
}

// Refuses options that would have no effect.
util::Status RefuseWithoutMeaning(const Command& command) {
  const Destination destination = DestinationOf(command);
  for (const MeaningOf& meaning : kMeanings) {
    if ((meaning.destinations & destination) != 0 || !command.Has(meaning.option)) continue;
    const char* why = "with --print-schema";
    if (destination == kToFiles) {
      why = (meaning.destinations & kToFleet) != 0 ? "without --clickhouse"
                                                   : "without --print-schema";
    } else if (destination == kToFleet) {
      why = (meaning.destinations & kToFiles) != 0 ? "with --clickhouse" : "without --print-schema";
    }
    return util::Error{fmt::format("{} has no effect {}", meaning.option, why), ""};
  }
  return util::Ok();
}

util::Status CheckFleet(const ExportOptions& options) {
  const auto wrong = [](std::string_view what) { return util::Error{std::string(what), ""}; };
  const FleetOptions& fleet = options.fleet;
  if (!exporting::ClickHouse::IsName(fleet.database)) {
    return wrong("--database: a name of letters, digits and _");
  }
  if (!fleet.cluster.empty() && !exporting::ClickHouse::IsName(fleet.cluster)) {
    return wrong("--cluster: a name of letters, digits and _");
  }
  if (!fleet.print_schema && options.files.empty()) return wrong("no file named");
  return util::Ok();
}

int RunFleet(const ExportOptions& options) {
  if (auto status = CheckFleet(options); !status) return Fail(status.error());
  FleetOptions fleet = options.fleet;
  fleet.files = options.files;
  fleet.tables = options.tables;
  return fleet.print_schema ? PrintFleetSchema(fleet) : ExportToFleet(fleet);
}

util::Result<exporting::perfetto::SampleFormat> SampleFormatOf(const std::string& stacks) {
  using exporting::perfetto::SampleFormat;
  if (stacks == "stack-sample") return SampleFormat::kStackSample;
  if (stacks == "perf-sample") return SampleFormat::kPerfSample;
  return util::Error{fmt::format("unknown form of stacks \"{}\"", stacks),
                     "--stacks: stack-sample perf-sample"};
}

int RunPerfetto(const ExportOptions& options) {
  if (options.files.size() != 1) {
    return Fail({"--format perfetto takes one FILE", "fxt merge merges several"});
  }
  if (!options.tables.empty()) return Fail({"--table has no effect with --format perfetto", ""});
  const std::string& file = options.files.front();
  if (auto differ = RefuseSameFile(file, options.output); !differ) return Fail(differ.error());
  const auto format = SampleFormatOf(options.stacks);
  if (!format) return Fail(format.error());
  auto source = source::OpenInput(file);
  if (!source) return Fail(source.error());
  auto sink =
      sink::OpenSink({.path = options.output, .gzip = options.gzip, .file = OutputLike(file)});
  if (!sink) return Fail(sink.error());
  const auto written =
      WritePerfettoTrace({.command = "fxt export", .file = file, .format = *format},
                         options.output == "-", **source, **sink);
  if (auto status = (*sink)->Close(); !status) return FailOutput(options.output, status.error());
  if (!written.damage.empty()) {
    return Fail({fmt::format("{}: {}", file, written.damage),
                 "the records before it are exported; fxt recover may save the rest"});
  }
  return kExitOk;
}

int RunExport(const ExportOptions& options, Destination destination) {
  if (destination != kToFiles) return RunFleet(options);
  if (options.files.empty()) return Fail({"no file named", "fxt export FILE... -o OUT"});
  if (options.output.empty()) {
    return Fail({"no output named", "-o OUT names a file or a folder"});
  }
  if (options.format == "perfetto") return RunPerfetto(options);
  for (const std::string& file : options.files) {
    if (auto differ = RefuseSameFile(file, options.output); !differ) return Fail(differ.error());
  }
  auto tables = ChosenTables(options);
  if (!tables) return Fail(tables.error());
  // A wrong input leaves no output behind.
  if (auto inputs = CheckInputs(options.files); !inputs) return Fail(inputs.error());
  tables::TextPool texts;
  FilesByCapture added;
  auto sink = OpenSink(options, *tables);
  if (!sink) return Fail(sink.error());
  std::optional<util::Error> damage;
  for (const std::string& file : options.files) {
    if (auto status = AddTrace(file, *tables, added, texts, **sink, options.output == "-", damage);
        !status) {
      return FailOutput(options.output, status.error());
    }
  }
  if (auto status = (*sink)->Finish(); !status) return FailOutput(options.output, status.error());
  return damage ? Fail(*damage) : kExitOk;
}

}  // namespace

void AddExport(const Command& program, int& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  const Command command =
      program.AddSubcommand("export",
                            "Write the tables of fxt query for other programs (SQLite, CSV, TSV, "
                            "RowBinary), or a Perfetto trace");
  command.Add("FILE", options->files,
              "Traces; - is standard input. With --clickhouse also summaries (.fxs)");
  command
      .Add("--format", options->format,
           "sqlite, csv, tsv or rowbinary; perfetto: a trace for "
           "Perfetto's viewer with thread states, stacks, logs and command lines")
      .Type("FORMAT")
      .ShowDefault();
  command
      .Add("-o,--output", options->output,
           "The database, or a folder for a file per table; - is standard output, for one table")
      .Type("OUT");
  command.Add("--table", options->tables, "Only these tables").Type("NAME").Commas();
  command.Add("--csv-safe", options->csv_safe,
              "CSV for spreadsheets: texts that begin like a formula get an apostrophe");
  command.Add("--gzip", options->gzip, "Compress the tables' files, or the Perfetto trace");
  command
      .Add(
          "--stacks", options->stacks,
          "With --format perfetto: stack-sample, which Perfetto 58 and later show, or perf-sample, "
          "which older ones show too")
      .Type("HOW")
      .ShowDefault();
  FleetOptions& fleet = options->fleet;
  command
      .Add("--clickhouse", fleet.server,
           "Send the tables to this server, http://[USER[:PASSWORD]@]HOST[:8123]. A capture that "
           "the "
           "server has is replaced; an interrupted export is continued")
      .Type("URL");
  command.Add("--database", fleet.database, "Database of the server").Type("NAME").ShowDefault();
  command.Add("--host", fleet.host, "Host of the captures, instead of the one in the file")
      .Type("NAME");
  command.Add("--label", fleet.label, "Label to compare by, such as a version or a setting")
      .Type("WORD");
  command.Add("--print-schema", fleet.print_schema,
              "Only print the statements that create the server's tables");
  command
      .Add("--cluster", fleet.cluster,
           "With --print-schema: tables that are distributed over this cluster")
      .Type("NAME");
  command.Footer(
      "Each table has a column more, capture: a number that stands for the trace, the same "
      "whenever\n"
      "it is exported. docs/tables.md has the tables, and how they become Parquet.\n"
      "\n"
      "Examples:\n"
      "  fxt export trace.fxt -o trace.db\n"
      "  fxt export --format csv --gzip day/*.fxt.gz -o tables\n"
      "  fxt export --format rowbinary --table slices trace.fxt -o - | clickhouse-client ...\n"
      "  fxt export --format perfetto trace.fxt -o trace.pftrace\n"
      "  fxt export --clickhouse http://fleet:8123 --label v2 trace.fxt");
  command.OnRun([options, command, &exit_code] {
    const auto meaning = RefuseWithoutMeaning(command);
    exit_code = meaning ? RunExport(*options, DestinationOf(command)) : Fail(meaning.error());
  });
}

}  // namespace tools
