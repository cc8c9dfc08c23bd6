// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "query/database.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

struct QueryOptions {
  std::string file;
  std::string statement;
  std::string script;
  bool csv = false;
  bool json = false;
  bool markdown = false;

  query::Format format() const {
    if (csv) return query::Format::kCsv;
    if (json) return query::Format::kJson;
    return markdown ? query::Format::kMarkdown : query::Format::kTable;
  }
};

constexpr const char* kTables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
constexpr const char* kHelp =
    "Statements end with a semicolon. .tables lists the tables, .schema TABLE its columns, .quit\n"
    "or Ctrl-D ends.\n";

// What a line that begins with a dot asks for, as a statement; "" for what is none.
std::string StatementOf(const std::string& line) {
  if (line == ".tables") return kTables;
  if (line.rfind(".schema ", 0) == 0) {
    std::string name;
    for (const char c : line.substr(8)) {
      if (c != ';' && c != ' ') name += c == '\'' ? std::string("''") : std::string(1, c);
    }
    return fmt::format("SELECT name, type FROM pragma_table_info('{}')", name);
  }
  return "";
}

// Line by line. At a terminal an error ends the statement, else everything.
int RunLines(query::Database& database, query::ResultWriter& writer, text::TextWriter& out) {
  const bool asks = isatty(STDIN_FILENO) == 1;
  std::string pending;
  std::string line;
  for (;;) {
    if (asks) {
      out.Append(pending.empty() ? "fxt> " : "...> ");
      out.Flush();
    }
    if (!std::getline(std::cin, line)) break;
    if (pending.empty() && line.rfind('.', 0) == 0) {
      if (line == ".quit" || line == ".exit") return kExitOk;
      line = StatementOf(line);
      if (line.empty()) {
        out.Append(kHelp);
        continue;
      }
      line += ';';
    }
    pending += line + '\n';
    if (!query::Database::IsComplete(pending)) continue;
    const auto status =
        database.Run(std::exchange(pending, {}), writer, [&] { return out.failed(); });
    out.Flush();
    if (!status && !asks) return Fail(status.error());
    if (!status) PrintError(kProgram, status.error());
    if (out.failed()) return kExitOk;
  }
  if (asks) out.Append("\n");
  const auto status = database.Run(pending, writer, [&] { return out.failed(); });
  return status ? kExitOk : Fail(status.error());
}

util::Result<std::string> ReadScript(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) return util::Error{fmt::format("cannot read {}", path), ""};
  return text;
}

int RunAll(const QueryOptions& options, query::Database& database, text::TextWriter& out) {
  const auto writer = query::MakeResultWriter(options.format(), out);
  std::string statements = options.statement;
  if (!options.script.empty()) {
    auto script = ReadScript(options.script);
    if (!script) return Fail(script.error());
    statements = std::move(*script);
  } else if (options.statement.empty()) {
    return RunLines(database, *writer, out);
  }
  const auto status = database.Run(statements, *writer, [&] { return out.failed(); });
  return status ? kExitOk : Fail(status.error());
}

int RunQuery(const QueryOptions& options) {
  if (!options.statement.empty() && !options.script.empty()) {
    return Fail({"a statement and -f at once", ""});
  }
  bool warned = false;
  query::TraceModuleOptions module;
  module.on_end = [&](const fxt::Reader& reader) {
    if (!std::exchange(warned, true)) WarnAboutDamage(options.file, reader);
  };
  const auto database = query::Database::Open(options.file, std::move(module));
  if (!database) return Fail(database.error());
  text::TextWriter out(STDOUT_FILENO, "standard output");
  const int code = RunAll(options, **database, out);
  const auto written = out.Finish();
  return written ? code : Fail(written.error());
}

}  // namespace

void AddQuery(const Command& program, int& exit_code) {
  auto options = std::make_shared<QueryOptions>();
  const Command command = program.AddSubcommand(
      "query", "Ask a trace in SQL: runs, waits, wakeups, events, threads, ... as tables");
  command.Add("FILE", options->file, "A trace").Required();
  command.Add("SQL", options->statement,
              "Statements; without, and without -f, they are read from standard input");
  command.Add("-f,--file", options->script, "Read the statements from a file").Type("SQLFILE");
  command.Add("--csv", options->csv, "Comma-separated, names in the first line");
  command.Add("--json", options->json, "An array of objects for each statement").Excludes("--csv");
  command.Add("--markdown", options->markdown, "A Markdown table for each statement")
      .Excludes("--csv")
      .Excludes("--json");
  command.Footer(
      "The SQL is that of SQLite, and quantile(value, q). docs/tables.md has the tables,\n"
      "docs/queries.md twenty questions.\n"
      "\n"
      "Examples:\n"
      "  fxt query trace.fxt 'SELECT process, sum(dur) FROM slices GROUP BY process'\n"
      "  fxt query trace.fxt 'SELECT * FROM waits ORDER BY dur DESC LIMIT 10'\n"
      "  fxt query --csv -f latencies.sql trace.fxt.gz > latencies.csv\n"
      "  fxt query trace.fxt                        asks for statements");
  command.OnRun([options, &exit_code] { exit_code = RunQuery(*options); });
}

}  // namespace tools
