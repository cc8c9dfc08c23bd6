// SPDX-License-Identifier: BSD-2-Clause
#include "query/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "query/group_sums.h"
#include "query/sqlite_api.h"
#include "query/trace_views.h"
#include "tables/rows/schema.h"
#include "util/nearest.h"

namespace query {
namespace {

using tables::Cell;

// The longest text or row that SQLite makes, bytes.
constexpr int kMaxLength = 64 << 20;

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view known) {
    return known.size() == word.size() &&
           sqlite3_strnicmp(known.data(), word.data(), static_cast<int>(word.size())) == 0;
  });
}

// Instructions of SQLite's machine between two checks for cancellation: a tenth of a millisecond.
constexpr int kStepsBetweenLooks = 10'000;

int IsCancelled(void* cancelled) {
  return (*static_cast<const std::function<bool()>*>(cancelled))() ? 1 : 0;
}

std::string_view View(const char* text) { return text == nullptr ? std::string_view() : text; }

// Reads are allowed, and writes to the temporary schema, which is dropped at the end.
int Authorize(void*, int action, const char* first, const char* second, const char* schema,
              const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return IsOneOf(View(second), {"load_extension", "fts3_tokenizer"}) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return IsOneOf(View(first), {"table_info", "table_xinfo", "table_list", "function_list",
                                   "module_list", "compile_options", "case_sensitive_like"})
                 ? SQLITE_OK
                 : SQLITE_DENY;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_TRIGGER:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_INDEX:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_TRIGGER:
    case SQLITE_REINDEX:
    case SQLITE_ANALYZE:
      return View(schema) == "temp" ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

// Copies the current row of a statement. `bytes` holds blobs as hexadecimal text. False if there
// are any.
bool Take(sqlite3_stmt* statement, std::vector<Cell>& row, std::vector<std::string>& bytes) {
  bytes.clear();
  bytes.reserve(row.size());
  for (int i = 0; i < static_cast<int>(row.size()); ++i) {
    Cell& cell = row[static_cast<size_t>(i)];
    switch (sqlite3_column_type(statement, i)) {
      case SQLITE_INTEGER:
        cell.Set(int64_t{sqlite3_column_int64(statement, i)});
        break;
      case SQLITE_FLOAT:
        cell.Set(sqlite3_column_double(statement, i));
        break;
      case SQLITE_NULL:
        cell.SetNull();
        break;
      case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
        cell.Set(text == nullptr ? std::string_view() : std::string_view(text, size));
        break;
      }
      default: {
        const auto* from = static_cast<const uint8_t*>(sqlite3_column_blob(statement, i));
        const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
        bytes.push_back(fmt::format("{:02x}", fmt::join(from, from + size, "")));
        cell.Set(std::string_view(bytes.back()));
      }
    }
  }
  return bytes.empty();
}

// The name behind `begin` in a message of SQLite, without schema or alias: "slices.durr" is "durr".
std::string NameIn(std::string_view message, std::string_view begin) {
  if (!message.starts_with(begin)) return {};
  std::string_view name = message.substr(begin.size());
  if (const size_t dot = name.rfind('.'); dot != std::string_view::npos)
    name.remove_prefix(dot + 1);
  return std::string(name);
}

// The hint for a name that SQLite does not know.
std::string HintFor(std::string_view message) {
  std::vector<std::string> known;
  if (const std::string table = NameIn(message, "no such table: "); !table.empty()) {
    for (const tables::TableInfo& info : tables::Tables()) known.emplace_back(info.name);
    for (const TraceView& view : TraceViews()) known.emplace_back(view.name);
    return fmt::format("{}the tables are: {}", util::Suggestion(table, known),
                       fmt::join(known, ", "));
  }
  if (const std::string column = NameIn(message, "no such column: "); !column.empty()) {
    std::vector<std::string> having;  // tables that have such a column
    for (const tables::TableInfo& info : tables::Tables()) {
      for (const tables::Column& each : info.columns) {
        if (each.name == column) having.emplace_back(info.name);
        known.emplace_back(each.name);
      }
    }
    if (!having.empty()) {
      return fmt::format("a column of {}; .schema TABLE shows the columns of a table",
                         fmt::join(having, ", "));
    }
    return util::Suggestion(column, known) + ".schema TABLE shows the columns of a table";
  }
  return {};
}

int Bind(sqlite3_stmt* statement, int at, const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kInteger:
      return sqlite3_bind_int64(statement, at, cell.integer);
    case Cell::Kind::kReal:
      return sqlite3_bind_double(statement, at, cell.real);
    case Cell::Kind::kText:
      return sqlite3_bind_text(statement, at, cell.text, static_cast<int>(cell.bytes),
                               SQLITE_STATIC);
    case Cell::Kind::kNull:
      break;
  }
  return sqlite3_bind_null(statement, at);
}

std::string GroupTableName(size_t number) { return fmt::format("{}{}", kGroupTable, number); }

// Keys and values that are columns keep their types, by which SQLite compares.
std::string CreateGroups(const GroupQuery& query, size_t number) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& type) {
    text += fmt::format("{}\"{}\" {}", text.empty() ? "" : ", ", name, type);
  };
  for (size_t i = 0; i < query.keys.size(); ++i) add(NameOfKey(i), TypeOf(query.keys[i], query));
  for (size_t i = 0; i < query.values.size(); ++i) {
    const bool is_column = query.values[i].kind == GroupValue::Kind::kBeside;
    add(NameOfValue(i), is_column ? TypeOf(query.values[i].of, query) : "");
  }
  return fmt::format("CREATE TEMP TABLE {}({})", GroupTableName(number), text);
}

}  // namespace

void Database::Closer::operator()(sqlite3* database) const { sqlite3_close(database); }
void Database::Closer::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::~Database() = default;

util::Error Database::Failure() const {
  std::string message = sqlite3_errmsg(database_.get());
  if (sqlite3_errcode(database_.get()) == SQLITE_AUTH) {
    return {"a query only reads: " + message,
            "what is in between can be kept in CREATE TEMP TABLE"};
  }
  std::string hint = HintFor(message);
  return {std::move(message), std::move(hint)};
}

util::Result<std::unique_ptr<Database>> Database::Open(const std::string& trace,
                                                       TraceModuleOptions options,
                                                       const columns::CacheOptions* cache) {
  // A clearer message than SQLite's.
  auto file = TraceFile::Open(trace);
  if (!file) return file.TakeError();
  std::shared_ptr<StatementWindows> windows;
  if (cache != nullptr) {
    options.cache = std::make_shared<columns::ColumnCache>(trace, (*file)->fd(), *cache);
    windows = std::make_shared<StatementWindows>();
    options.windows = windows;
  }
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(
      ":memory:", &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
      nullptr);
  std::unique_ptr<Database> database(new Database(opened, std::move(*file)));
  if (code != SQLITE_OK) return util::Error{"SQLite cannot be used: out of memory", ""};
  database->cancelled_ = options.cancelled;
  database->on_end_ = options.on_end;
  database->cache_ = options.cache;
  database->windows_ = windows;
  if (RegisterTraceModule(opened, std::move(options)) != SQLITE_OK) return database->Failure();
  for (const tables::TableInfo& info : tables::Tables()) {
    const std::unique_ptr<char, void (*)(void*)> statement(
        sqlite3_mprintf("CREATE VIRTUAL TABLE \"%w\" USING fxt(%Q)", std::string(info.name).c_str(),
                        trace.c_str()),
        sqlite3_free);
    if (sqlite3_exec(opened, statement.get(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      return database->Failure();
    }
  }
  for (const TraceView& view : TraceViews()) {
    const std::string statement = fmt::format("CREATE VIEW {} AS {}", view.name, view.select);
    if (sqlite3_exec(opened, statement.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      return database->Failure();
    }
  }
  // SQLite creates table-valued functions at their first use. The authorizer below would see that
  // as a CREATE.
  sqlite3_exec(opened,
               "SELECT 1 FROM json_each('[]'), json_tree('[]'), pragma_table_info('slices'),"
               " pragma_table_xinfo('slices'), pragma_table_list, pragma_function_list LIMIT 0",
               nullptr, nullptr, nullptr);
  // Memory of a sort before it uses temporary files.
  sqlite3_exec(opened, "PRAGMA cache_size=-16000", nullptr, nullptr, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, kMaxLength);
  sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_set_authorizer(opened, Authorize, nullptr);
  if (database->cancelled_) {
    sqlite3_progress_handler(opened, kStepsBetweenLooks, IsCancelled, &database->cancelled_);
  }
  return database;
}

bool Database::MakeGroups(const GroupSelect& select) {
  const GroupQuery& query = select.query;
  if (ReadsHidden(query)) return false;
  std::optional<tables::ScanFaults> faults;
  const GroupInput input{
      .table = [&](tables::Table table,
                   uint64_t columns) -> std::shared_ptr<const columns::ColumnFile> {
        auto file = cache_->Columns(table, columns);
        // If a trace cannot be read to its end, the error follows the rows.
        if (!file || !(*file)->faults().error.empty()) return nullptr;
        faults = (*file)->faults();
        return std::move(*file);
      },
      .windows = windows_.get(),
      .load = [&](const std::string& text, Relation& to) { return Load(text, to); },
      .cancelled = cancelled_};
  const auto groups = SumGroups(query, input);
  if (!groups) return false;
  if (sqlite3_exec(database_.get(), CreateGroups(query, select.number).c_str(), nullptr, nullptr,
                   nullptr) != SQLITE_OK) {
    return false;
  }
  std::string marks = "?";
  for (size_t i = 1; i < groups->width; ++i) marks += ",?";
  const Statement insert =
      Prepared(fmt::format("INSERT INTO temp.{} VALUES({})", GroupTableName(select.number), marks));
  if (!insert) return false;
  for (size_t at = 0; at < groups->cells.size(); at += groups->width) {
    for (size_t i = 0; i < groups->width; ++i) {
      Bind(insert.get(), static_cast<int>(i) + 1, groups->cells[at + i]);
    }
    if (sqlite3_step(insert.get()) != SQLITE_DONE) return false;
    sqlite3_reset(insert.get());
  }
  if (on_end_ && faults) on_end_(*faults);
  return true;
}

bool Database::Load(const std::string& select, Relation& to) {
  const Statement statement = Prepared(WithGroups(select));
  if (!statement) return false;
  std::vector<Cell> row(static_cast<size_t>(sqlite3_column_count(statement.get())));
  std::vector<std::string> bytes;
  for (;;) {
    const int step = sqlite3_step(statement.get());
    if (step == SQLITE_DONE) return true;
    if (step != SQLITE_ROW || !Take(statement.get(), row, bytes) || !to.Add(row)) return false;
  }
}

std::optional<std::vector<RelationColumn>> Database::Describe(const std::string& select) const {
  const Statement statement = Prepared(select);
  // SQLite does not report the collation of a column.
  if (!statement || HasTemporary("upper(sql) LIKE '%COLLATE%'")) return std::nullopt;
  std::vector<RelationColumn> columns;
  for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
    RelationColumn& column = columns.emplace_back();
    for (const char c : View(sqlite3_column_name(statement.get(), i)))
      column.name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    column.type = View(sqlite3_column_decltype(statement.get(), i));
  }
  return columns;
}

void Database::DropGroups() {
  if (windows_) windows_->values.clear();
  for (; group_selects_ != 0; --group_selects_) {
    sqlite3_exec(
        database_.get(),
        fmt::format("DROP TABLE IF EXISTS temp.{}", GroupTableName(group_selects_)).c_str(),
        nullptr, nullptr, nullptr);
  }
}

// A temporary table or view may have the name of a table of the trace.
bool Database::IsHidden(tables::Table table) const {
  return HasTemporary(fmt::format("name = '{}' COLLATE NOCASE", InfoOf(table).name));
}

bool Database::ReadsHidden(const GroupQuery& query) const {
  return std::any_of(
      query.relations.begin(), query.relations.end(), [&](const GroupRelation& relation) {
        if (relation.table && IsHidden(*relation.table)) return true;
        return relation.ordered &&
               std::any_of(relation.ordered->parts.begin(), relation.ordered->parts.end(),
                           [&](const OrderedSelect::Part& part) {
                             return part.query && ReadsHidden(*part.query);
                           });
      });
}

bool Database::HasTemporary(const std::string& condition) const {
  bool is_there = false;
  sqlite3_exec(
      database_.get(), ("SELECT 1 FROM temp.sqlite_schema WHERE " + condition).c_str(),
      [](void* found, int, char**, char**) {
        *static_cast<bool*>(found) = true;
        return 0;
      },
      &is_there, nullptr);
  return is_there;
}

std::string Database::WithTops(std::string_view statement) {
  std::string text;
  size_t done = 0;
  for (const TopSelect& top : FindTops(statement)) {
    if (IsHidden(top.table)) continue;
    uint64_t wanted = uint64_t{1} << top.column;
    for (const Expression& condition : top.conditions) {
      ForEachColumn(condition, [&](ColumnRef column) { wanted |= uint64_t{1} << column.column; });
    }
    const auto columns = cache_->Columns(top.table, wanted);
    if (!columns || !(*columns)->faults().error.empty()) continue;
    const auto last = LastOfTop(top, **columns, cancelled_);
    // SQLite has no literal for the smallest number.
    if (!last || *last == INT64_MIN) continue;
    const size_t begin = top.has_where ? top.where_begin : top.at;
    text.append(statement, done, begin - done);
    text += fmt::format("{}\"{}\" {} {} ", top.has_where ? "" : " WHERE ",
                        InfoOf(top.table).columns[top.column].name,
                        top.is_descending ? ">=" : "<=", *last);
    if (top.has_where) text += "AND ";
    done = begin;
  }
  text.append(statement, done);
  return text;
}

std::string Database::WithWindows(std::string_view statement) {
  size_t room = WindowValues::kMaxBytes;
  std::string text;
  size_t done = 0;
  for (const WindowUse& use : FindWindows(statement)) {
    if (windows_->values.size() == StatementWindows::kMost) break;
    if (IsHidden(use.query.table)) continue;
    const auto columns = cache_->Columns(use.query.table, use.query.columns());
    if (!columns || !(*columns)->faults().error.empty()) continue;
    auto values = WindowValues::Of(use.query, **columns, room, cancelled_);
    if (!values) continue;
    room -= values->bytes();
    text.append(statement, done, use.begin - done);
    text += fmt::format("\"{}\"", NameOfWindow(windows_->values.size()));
    done = use.end;
    windows_->values.push_back(std::move(*values));
  }
  text.append(statement, done);
  return text;
}

Database::Statement Database::FromColumns(std::string_view original, sqlite3_stmt* prepared) {
  const std::string text = WithGroups(WithTops(WithWindows(original)));
  if (text == original) return nullptr;
  Statement result = Prepared(text);
  return result && sqlite3_column_count(result.get()) == sqlite3_column_count(prepared)
             ? std::move(result)
             : nullptr;
}

Database::Statement Database::Prepared(const std::string& text) const {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &prepared, nullptr);
  Statement statement(prepared);
  return code == SQLITE_OK ? std::move(statement) : nullptr;
}

std::string Database::WithGroups(std::string_view statement) {
  const auto describe = [this](const std::string& select) { return Describe(select); };
  const auto is_made = [this](const GroupSelect& select) { return MakeGroups(select); };
  std::string text;
  size_t done = 0;
  for (const GroupSelect& select : FindGroups(statement, group_selects_, describe, is_made)) {
    text.append(statement, done, select.begin - done);
    text += select.text;
    done = select.end;
  }
  text.append(statement, done);
  return text;
}

util::Status Database::Run(const std::string& statements, ResultWriter& writer,
                           const std::function<bool()>& done) {
  const char* rest = statements.c_str();
  const char* const end = rest + statements.size();
  while (rest < end) {
    sqlite3_stmt* prepared = nullptr;
    // With the NUL behind it: otherwise SQLite copies the whole rest for each statement.
    const char* const begin = rest;
    const GroupTables tables(*this);  // outlive the statement that reads them
    const int code = sqlite3_prepare_v2(database_.get(), rest, static_cast<int>(end - rest) + 1,
                                        &prepared, &rest);
    Statement statement(prepared);
    if (code != SQLITE_OK) return Failure();
    if (!statement) continue;  // spaces, or a comment
    const int columns = sqlite3_column_count(prepared);
    std::vector<std::string> names;
    for (int i = 0; i < columns; ++i) names.emplace_back(View(sqlite3_column_name(prepared, i)));
    if (columns != 0) writer.Begin(names);
    if (cache_) {
      if (auto changed = FromColumns({begin, rest}, prepared)) {
        statement = std::move(changed);
        prepared = statement.get();
      }
    }
    std::vector<Cell> row(names.size());
    std::vector<std::string> bytes;
    for (;;) {
      const int step = sqlite3_step(prepared);
      if (step == SQLITE_DONE) break;
      if (step != SQLITE_ROW) {
        if (columns != 0) writer.End();
        return Failure();
      }
      Take(prepared, row, bytes);
      writer.Row(row);
      if (done && done()) return util::Ok();
    }
    if (columns != 0) writer.End();
  }
  return util::Ok();
}

}  // namespace query
