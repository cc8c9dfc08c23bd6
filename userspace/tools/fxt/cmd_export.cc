// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "export/clickhouse/database.h"
#include "export/export_trace.h"
#include "export/file_table_sink.h"
#include "export/sqlite_table_sink.h"
#include "source/input.h"
#include "tables/rows/text_pool.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/fleet_export.h"
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
  bool gzip = false;
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
  if (options.format == "sqlite") {
    if (options.gzip) return util::Error{"a database is not compressed: --gzip is for text", ""};
    return exporting::SqliteTableSink::Open(options.output, tables, file);
  }
  for (const RowFormat format : {RowFormat::kCsv, RowFormat::kTsv, RowFormat::kRowBinary}) {
    if (options.format != NameOf(format)) continue;
    return exporting::FileTableSink::Open({.path = options.output,
                                           .format = format,
                                           .gzip = options.gzip,
                                           .tables = tables,
                                           .file = file});
  }
  return util::Error{fmt::format("there is no format \"{}\"", options.format),
                     "formats: sqlite csv tsv rowbinary"};
}

// Adds a trace; an error also where reading stopped before its end.
util::Status AddTrace(const std::string& file, const std::vector<tables::Table>& tables,
                      tables::TextPool& texts, exporting::TableSink& sink,
                      std::optional<util::Error>& damage) {
  auto source = source::OpenInput(file);
  if (!source) return source.TakeError();
  Progress progress("fxt export: " + file, **source);
  exporting::TraceExport what{.file = file, .tables = tables, .progress = {}, .on_end = {}};
  what.progress = [&](uint64_t done) { progress.Update(done); };
  what.on_end = [&](const fxt::Reader& reader) {
    progress.Clear();
    WarnAboutDamage(file, reader);
  };
  auto exported = exporting::ExportTrace(what, **source, texts, sink);
  if (!exported) return exported.TakeError();
  if (exported->read_error.empty()) return util::Ok();
  util::Error error{fmt::format("{}: {}", file, exported->read_error),
                    "what stands before it is exported; fxt recover may save the rest"};
  if (exported->rows <= 1) return util::Error{error.message, ""};
  if (!damage) damage = std::move(error);
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
  if (!options.output.empty()) return wrong("-o and --clickhouse are two ways to go");
  if (options.gzip) return wrong("--gzip is for files");
  if (!fleet.print_schema && options.files.empty()) return wrong("which FILE?");
  return util::Ok();
}

int RunFleet(const ExportOptions& options) {
  if (auto status = CheckFleet(options); !status) return Fail(status.error());
  FleetOptions fleet = options.fleet;
  fleet.files = options.files;
  fleet.tables = options.tables;
  return fleet.print_schema ? PrintFleetSchema(fleet) : ExportToFleet(fleet);
}

int RunExport(const ExportOptions& options) {
  if (options.fleet.print_schema || !options.fleet.server.empty()) return RunFleet(options);
  if (options.files.empty()) return Fail({"which FILE?", "fxt export --help"});
  if (options.output.empty()) {
    return Fail({"where to? -o OUT names a file or a folder", "fxt export --help"});
  }
  for (const std::string& file : options.files) {
    if (auto differ = RefuseSameFile(file, options.output); !differ) return Fail(differ.error());
  }
  auto tables = ChosenTables(options);
  if (!tables) return Fail(tables.error());
  // A wrong input leaves nothing behind.
  for (const std::string& file : options.files) {
    if (file == "-") continue;
    if (auto source = source::OpenInput(file); !source) return Fail(source.error());
  }
  tables::TextPool texts;
  auto sink = OpenSink(options, *tables);
  if (!sink) return Fail(sink.error());
  std::optional<util::Error> damage;
  for (const std::string& file : options.files) {
    if (auto status = AddTrace(file, *tables, texts, **sink, damage); !status) {
      return FailOutput(options.output, status.error());
    }
  }
  if (auto status = (*sink)->Finish(); !status) return FailOutput(options.output, status.error());
  return damage ? Fail(*damage) : kExitOk;
}

}  // namespace

void AddExport(const Command& program, int& exit_code) {
  auto options = std::make_shared<ExportOptions>();
  const Command command = program.AddSubcommand(
      "export", "Write the tables of fxt query for other programs: SQLite, CSV, TSV, RowBinary");
  command.Add("FILE", options->files,
              "Traces; - is standard input. Summaries (.fxs) too, with --clickhouse");
  command.Add("--format", options->format, "sqlite, csv, tsv or rowbinary")
      .Type("FORMAT")
      .ShowDefault();
  command
      .Add("-o,--output", options->output,
           "The database, or a folder for a file per table; - is standard output, for one table")
      .Type("OUT");
  command.Add("--table", options->tables, "Only these tables").Type("NAME").Commas();
  command.Add("--gzip", options->gzip, "Compress the files of tables");
  FleetOptions& fleet = options->fleet;
  command
      .Add(
          "--clickhouse", fleet.server,
          "Send the tables to this server, http://[USER[:PASSWORD]@]HOST[:8123]; a capture that is "
          "there already is replaced, one that was broken off goes on")
      .Type("URL");
  command.Add("--database", fleet.database, "Of the server").Type("NAME").ShowDefault();
  command.Add("--host", fleet.host, "Where the captures were made, in place of what they say")
      .Type("NAME");
  command.Add("--label", fleet.label, "A word to compare by: a version, a setting").Type("WORD");
  command.Add("--print-schema", fleet.print_schema,
              "Print the statements that make the server's tables, and do nothing else");
  command
      .Add("--cluster", fleet.cluster,
           "With --print-schema: tables spread over the servers of this cluster")
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
      "  fxt export --clickhouse http://fleet:8123 --label v2 trace.fxt");
  command.OnRun([options, &exit_code] { exit_code = RunExport(*options); });
}

}  // namespace tools
