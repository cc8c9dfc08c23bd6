// SPDX-License-Identifier: BSD-2-Clause
#include "export/sqlite_table_sink.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <utility>

#include "output/output_file.h"

namespace exporting {
namespace {

using tables::Cell;
using tables::Column;

bool IsShared(const Column& column) { return column.type == tables::Type::kText && column.repeats; }

const char* TypeOf(const Column& column) {
  switch (column.type) {
    case tables::Type::kInteger:
      return "INTEGER";
    case tables::Type::kReal:
      return "REAL";
    case tables::Type::kText:
      break;
  }
  return IsShared(column) ? "INTEGER" : "TEXT";
}

bool HasShared(const tables::TableInfo& info) {
  for (const Column& column : info.columns) {
    if (IsShared(column)) return true;
  }
  return false;
}

std::string RowsOf(const tables::TableInfo& info) {
  return HasShared(info) ? fmt::format("{}_rows", info.name) : std::string(info.name);
}

// The table, its view with the texts, and the number of values of a row.
std::string CreateStatements(const tables::TableInfo& info) {
  const bool has_own = info.table == tables::Table::kCaptures;
  std::string columns = has_own ? "" : "capture INTEGER NOT NULL";
  std::string seen = has_own ? "" : "capture";
  for (const Column& column : info.columns) {
    const char* comma = columns.empty() ? "" : ", ";
    const char* must = column.nullable ? "" : " NOT NULL";
    if (IsShared(column)) {
      columns += fmt::format("{}{}_id {}{}", comma, column.name, TypeOf(column), must);
      seen += fmt::format("{}(SELECT text FROM texts WHERE id = {}_id) AS {}", comma, column.name,
                          column.name);
    } else {
      columns += fmt::format("{}{} {}{}", comma, column.name, TypeOf(column), must);
      seen += fmt::format("{}{}", comma, column.name);
    }
  }
  std::string text = fmt::format("CREATE TABLE {}({});", RowsOf(info), columns);
  if (HasShared(info)) {
    text += fmt::format("CREATE VIEW {} AS SELECT {} FROM {};", info.name, seen, RowsOf(info));
  }
  return text;
}

std::string InsertStatement(const tables::TableInfo& info) {
  const size_t values = info.columns.size() + (info.table == tables::Table::kCaptures ? 0 : 1);
  std::string marks = "?";
  for (size_t i = 1; i < values; ++i) marks += ",?";
  return fmt::format("INSERT INTO {} VALUES({})", RowsOf(info), marks);
}

// A covering index for sums by process and thread.
const char* IndexStatement(tables::Table table) {
  switch (table) {
    case tables::Table::kSlices:
      return "CREATE INDEX slices_by_process ON slices_rows(process_id, thread_id, dur);";
    case tables::Table::kWaits:
      return "CREATE INDEX waits_by_process ON waits_rows(process_id, thread_id, kind_id, dur);";
    default:
      return "";
  }
}

void Bind(sqlite3_stmt* statement, int at, const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kNull:
      sqlite3_bind_null(statement, at);
      break;
    case Cell::Kind::kInteger:
      sqlite3_bind_int64(statement, at, cell.integer);
      break;
    case Cell::Kind::kReal:
      sqlite3_bind_double(statement, at, cell.real);
      break;
    case Cell::Kind::kText:
      sqlite3_bind_text(statement, at, cell.text, static_cast<int>(cell.bytes), SQLITE_STATIC);
      break;
  }
}

}  // namespace

void SqliteTableSink::Closer::operator()(sqlite3* database) const { sqlite3_close(database); }
void SqliteTableSink::Closer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

SqliteTableSink::SqliteTableSink(std::string path, std::shared_ptr<output::OutputFile> file,
                                 util::UniqueFd fd)
    : path_(std::move(path)), file_(std::move(file)), fd_(std::move(fd)), vfs_(fd_.get()) {}

SqliteTableSink::~SqliteTableSink() = default;

util::Error SqliteTableSink::Failure() const {
  return {fmt::format("cannot write {}: {}", path_,
                      database_ ? sqlite3_errmsg(database_.get()) : "out of memory"),
          ""};
}

util::Status SqliteTableSink::Execute(const std::string& statements) {
  const int code = sqlite3_exec(database_.get(), statements.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? util::Ok() : util::Status(Failure());
}

util::Result<SqliteTableSink::Statement> SqliteTableSink::Prepare(const std::string& statement) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v3(database_.get(), statement.c_str(), -1,
                                      SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
  if (code != SQLITE_OK) return Failure();
  return Statement(prepared);
}

util::Result<std::unique_ptr<TableSink>> SqliteTableSink::Open(
    const std::string& path, const std::vector<tables::Table>& tables,
    const output::FileOptions& options) {
  const util::Error not_there = {"a database is a file, and not a pipe or standard output",
                                 "name a file with -o"};
  if (path == "-") return not_there;
  output::FileOptions how = options;
  how.with_others = true;
  auto opened = output::OpenOutputAt(path, how);
  if (!opened) return opened.TakeError();
  if (!opened->file) return not_there;
  // Outputs are opened write-only, and SQLite reads pages back.
  util::UniqueFd fd(
      open(fmt::format("/proc/self/fd/{}", opened->file->fd()).c_str(), O_RDWR | O_CLOEXEC));
  if (!fd) return output::OpenError(path, errno, options.option);
  std::unique_ptr<SqliteTableSink> made(
      new SqliteTableSink(path, std::move(opened->file), std::move(fd)));
  if (auto status = made->Begin(tables); !status) return status.TakeError();
  return std::unique_ptr<TableSink>(std::move(made));
}

util::Status SqliteTableSink::Begin(const std::vector<tables::Table>& tables) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2("export", &opened,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                                   vfs_.name());
  database_.reset(opened);
  if (code != SQLITE_OK) return Failure();
  // The file has no name until it is complete, so no rollback is needed.
  std::string statements =
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
      "PRAGMA cache_size=-16000; BEGIN; CREATE TABLE texts(id INTEGER PRIMARY KEY, text TEXT);";
  for (const tables::Table table : tables) statements += CreateStatements(InfoOf(table));
  if (auto status = Execute(statements); !status) return status;
  auto text = Prepare("INSERT INTO texts VALUES(?,?)");
  if (!text) return text.TakeError();
  insert_text_ = std::move(*text);
  for (const tables::Table table : tables) {
    auto insert = Prepare(InsertStatement(InfoOf(table)));
    if (!insert) return insert.TakeError();
    insert_[static_cast<size_t>(table)] = std::move(*insert);
  }
  return util::Ok();
}

int64_t SqliteTableSink::IdOf(std::string_view text) {
  if (const auto found = id_at_.find(text.data()); found != id_at_.end()) return found->second;
  const auto [place, fresh] = ids_.try_emplace(text, static_cast<int64_t>(ids_.size()) + 1);
  if (fresh) {
    sqlite3_bind_int64(insert_text_.get(), 1, place->second);
    sqlite3_bind_text(insert_text_.get(), 2, text.data(), static_cast<int>(text.size()),
                      SQLITE_STATIC);
    const int code = sqlite3_step(insert_text_.get());
    sqlite3_reset(insert_text_.get());
    if (code != SQLITE_DONE) return 0;
  }
  return id_at_[text.data()] = place->second;
}

util::Status SqliteTableSink::Write(const tables::RowBatch& rows, int64_t capture) {
  const tables::TableInfo& info = InfoOf(rows.table());
  sqlite3_stmt* insert = insert_[static_cast<size_t>(rows.table())].get();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Cell* row = rows.row(i);
    int at = 1;
    if (info.table != tables::Table::kCaptures) sqlite3_bind_int64(insert, at++, capture);
    for (size_t column = 0; column < info.columns.size(); ++column, ++at) {
      if (!IsShared(info.columns[column]) || row[column].is_null()) {
        Bind(insert, at, row[column]);
        continue;
      }
      const int64_t id = IdOf(row[column].view());
      if (id == 0) return Failure();
      sqlite3_bind_int64(insert, at, id);
    }
    const int code = sqlite3_step(insert);
    sqlite3_reset(insert);
    if (code != SQLITE_DONE) return Failure();
  }
  return util::Ok();
}

util::Status SqliteTableSink::Finish() {
  std::string statements;
  for (const tables::TableInfo& info : tables::Tables()) {
    if (insert_[static_cast<size_t>(info.table)]) statements += IndexStatement(info.table);
  }
  if (auto status = Execute(statements + "COMMIT;"); !status) return status;
  insert_text_.reset();
  for (Statement& insert : insert_) insert.reset();
  if (sqlite3_close(database_.get()) != SQLITE_OK) return Failure();
  static_cast<void>(database_.release());
  return output::PublishTogether({&file_, 1});
}

}  // namespace exporting
