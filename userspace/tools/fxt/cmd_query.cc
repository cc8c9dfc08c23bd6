// SPDX-License-Identifier: BSD-2-Clause
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "query/database.h"
#include "query/statement_scanner.h"
#include "text/clean_text.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/interrupt.h"
#include "tools/fxt/support/line_reader.h"
#include "tools/fxt/support/output_file.h"
#include "tools/fxt/support/read_loop.h"
#include "util/unique_fd.h"

namespace tools {
namespace {

struct QueryOptions {
  std::string file;
  std::string statement;
  std::string script;
  // Distinguishes an empty statement from none.
  bool has_statement = false;
  bool has_script = false;
  bool cache = false;
  bool csv = false;
  bool csv_safe = false;
  bool json = false;
  bool markdown = false;

  query::Format format() const {
    if (csv_safe) return query::Format::kCsvSafe;
    if (csv) return query::Format::kCsv;
    if (json) return query::Format::kJson;
    return markdown ? query::Format::kMarkdown : query::Format::kTable;
  }
};

constexpr const char* kTables = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')";
constexpr const char* kHelp =
    "Statements end with a semicolon. .tables lists the tables, .schema [TABLE] its columns, "
    ".quit\n"
    "or Ctrl-D ends.\n";

// The statement for a line that begins with a dot; "" if there is none.
std::string StatementOf(const std::string& line) {
  if (line == ".tables") return kTables;
  if (line == ".schema") {
    return "SELECT t.name AS 'table', c.name AS 'column', c.type FROM sqlite_schema AS t, "
           "pragma_table_info(t.name) AS c WHERE t.type IN ('table', 'view')";
  }
  if (line.rfind(".schema ", 0) == 0) {
    std::string name;
    for (const char c : line.substr(8)) {
      if (c != ';' && c != ' ') name += c == '\'' ? std::string("''") : std::string(1, c);
    }
    return fmt::format("SELECT name, type FROM pragma_table_info('{}')", name);
  }
  return "";
}

// The limit for all statements of a file and for one interactive statement; SQLite's own limit is
// lower.
constexpr size_t kMostBytes = size_t{64} << 20;

util::Error TooLong(const std::string& where) {
  return {fmt::format("{}: more than {} MiB of statements", where, kMostBytes >> 20),
          "import data as a trace (fxt import), not as text"};
}

// SQLite would take a NUL for the end and silently ignore the rest.
util::Error HasNul(const std::string& where) {
  return {fmt::format("{}: a NUL byte in the statements", where), "statements are text in UTF-8"};
}

// Collects lines up to the end of a statement.
struct PendingStatement {
  std::string text;
  query::StatementScanner scanner;

  void Add(std::string_view line) {
    text.append(line);
    text += '\n';
    scanner.Add(std::string_view(text).substr(text.size() - line.size() - 1));
  }
};

class Lines {
 public:
  Lines(query::Database& database, query::ResultWriter& writer, text::TextWriter& out)
      : database_(database), writer_(writer), out_(out) {}

  // At a terminal an error or Ctrl-C ends the statement; otherwise it ends the program.
  int Run() {
    if (asks_) NoteInterrupts();
    std::string line;
    for (;;) {
      // An earlier interrupt belongs to the statement before.
      ForgetInterrupt();
      if (asks_) {
        out_.Append(pending_.text.empty() ? "fxt> " : "...> ");
        out_.Flush();
      }
      const auto got = reader_.Next(line);
      const int error = errno;
      ForgetInterrupt();
      switch (got) {
        case LineReader::Status::kLine:
          break;
        case LineReader::Status::kEnd:
          return Finish();
        case LineReader::Status::kInterrupted:
          pending_ = {};
          out_.Append("\n");
          continue;
        case LineReader::Status::kTooLong:
          return Fail(TooLong("standard input"));
        case LineReader::Status::kFailed:
          return Fail({fmt::format("cannot read standard input: {}",
                                   std::generic_category().message(error)),
                       ""});
      }
      if (const auto code = Take(line)) return *code;
    }
  }

 private:
  // The exit status, if that was the end.
  std::optional<int> Take(std::string line) {
    if (line.find('\0') != std::string::npos) return Refuse(HasNul("standard input"));
    if (pending_.text.empty() && line.starts_with('.')) {
      if (line == ".quit" || line == ".exit") return kExitOk;
      line = StatementOf(line);
      if (line.empty()) {
        out_.Append(kHelp);
        return std::nullopt;
      }
      line += ';';
    }
    if (pending_.text.size() + line.size() > kMostBytes) return Fail(TooLong("standard input"));
    pending_.Add(line);
    if (!pending_.scanner.complete()) return std::nullopt;
    const auto status =
        database_.Run(std::exchange(pending_, {}).text, writer_, [&] { return out_.failed(); });
    out_.Flush();
    if (!status) return Refuse(status.error());
    return out_.failed() ? std::optional<int>(kExitOk) : std::nullopt;
  }

  std::optional<int> Refuse(const util::Error& error) {
    pending_ = {};
    if (!asks_) return Fail(error);
    PrintError(kProgram, error);
    return std::nullopt;
  }

  int Finish() {
    if (asks_) out_.Append("\n");
    const auto status = database_.Run(pending_.text, writer_, [&] { return out_.failed(); });
    return status ? kExitOk : Fail(status.error());
  }

  query::Database& database_;
  query::ResultWriter& writer_;
  text::TextWriter& out_;
  const bool asks_ = isatty(STDIN_FILENO) == 1;
  LineReader reader_{STDIN_FILENO, kMostBytes};
  PendingStatement pending_;
};

util::Result<std::string> ReadScript(const std::string& path) {
  const std::string shown = text::CleanText(path);
  const auto failed = [&] {
    return util::Error{
        fmt::format("cannot read '{}': {}", shown, std::generic_category().message(errno)), ""};
  };
  const util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return failed();
  std::string text;
  for (size_t size = 0;;) {
    constexpr size_t kStep = size_t{64} << 10;
    text.resize(size + kStep);
    const ssize_t n = read(fd.get(), text.data() + size, kStep);
    if (n < 0 && errno != EINTR) return failed();
    if (n > 0) size += static_cast<size_t>(n);
    if (size > kMostBytes) return TooLong(shown);
    if (n != 0) continue;
    text.resize(size);
    break;
  }
  if (text.find('\0') != std::string::npos) return HasNul(shown);
  return text;
}

int RunAll(const QueryOptions& options, query::Database& database, text::TextWriter& out) {
  const auto writer = query::MakeResultWriter(options.format(), out);
  if (!options.has_statement && !options.has_script) return Lines(database, *writer, out).Run();
  std::string statements = options.statement;
  if (statements.starts_with('.')) {
    statements = StatementOf(statements);
    if (statements.empty()) return Fail({"there is no such command", ".tables, .schema [TABLE]"});
  }
  if (options.has_script) {
    auto script = ReadScript(options.script);
    if (!script) return Fail(script.error());
    statements = std::move(*script);
  }
  const auto status = database.Run(statements, *writer, [&] { return out.failed(); });
  return status ? kExitOk : Fail(status.error());
}

int RunQuery(const QueryOptions& options) {
  if (options.has_statement && options.has_script) return Fail({"-f excludes a statement", ""});
  tables::ScanFaults warned;
  query::TraceModuleOptions module;
  // Only at a terminal can a user cancel a statement, and queries without the check run faster.
  if (!options.has_statement && !options.has_script && isatty(STDIN_FILENO) == 1) {
    module.cancelled = WasInterrupted;
  }
  module.on_end = [&](const tables::ScanFaults& faults) {
    // Several scans of a statement find the same, and those of other tables what only they can.
    WarnAboutDamage(options.file, faults.Beyond(warned));
    warned.Join(faults);
  };
  const columns::CacheOptions cache{
      .cancelled = module.cancelled,
      .on_note = [](const std::string& note) { PrintNote(kProgram, "note: " + note); }};
  const auto database =
      query::Database::Open(options.file, std::move(module), options.cache ? &cache : nullptr);
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
      "query", "Query a trace in SQL, with tables of runs, waits, wakeups, events, threads, ...");
  command.Add("FILE", options->file, "A trace").Required();
  command.Add(
      "SQL", options->statement,
      "Statements, .tables or .schema [TABLE]; without it and without -f they are read from "
      "standard input");
  command.Add("-f,--file", options->script, "Read the statements from a file, of 64 MiB at most")
      .Type("SQLFILE");
  command.Add("--cache", options->cache,
              "Keep all tables as columns in a file beside FILE, for fast further queries");
  command.Add("--csv", options->csv, "Comma-separated, names in the first line");
  command.Add("--csv-safe", options->csv_safe,
              "CSV for spreadsheets: texts that begin like a formula get an apostrophe");
  command.Add("--json", options->json, "An array of objects for each statement")
      .Excludes("--csv")
      .Excludes("--csv-safe");
  command.Add("--markdown", options->markdown, "A Markdown table for each statement")
      .Excludes("--csv")
      .Excludes("--csv-safe")
      .Excludes("--json");
  command.Footer(
      "The SQL is that of SQLite, and the aggregates quantile(value, q [, weight]) and\n"
      "histogram(value [, weight]). docs/tables.md has the tables, docs/queries.md forty "
      "questions.\n"
      "\n"
      "Examples:\n"
      "  fxt query trace.fxt 'SELECT process, sum(dur) FROM slices GROUP BY process'\n"
      "  fxt query trace.fxt 'SELECT * FROM waits ORDER BY dur DESC LIMIT 10'\n"
      "  fxt query --csv -f latencies.sql trace.fxt.gz > latencies.csv\n"
      "  fxt query trace.fxt                        a prompt for statements\n"
      "  fxt query --cache trace.fxt                the same, with most answers within a second");
  command.OnRun([options, command, &exit_code] {
    options->has_statement = command.Has("SQL");
    options->has_script = command.Has("--file");
    exit_code = RunQuery(*options);
  });
}

}  // namespace tools
