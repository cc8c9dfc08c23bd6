// SPDX-License-Identifier: BSD-2-Clause
#include "query/trace_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "query/aggregates.h"
#include "query/scan_plan.h"
#include "query/sqlite_api.h"
#include "query/table_cursor.h"
#include "query/trace_file.h"
#include "tables/rows/schema.h"
#include "tables/rows/text_pool.h"

namespace query {
namespace {

using tables::Cell;
using tables::Column;

struct Module {
  explicit Module(TraceModuleOptions of) : options(std::move(of)) {}
  TraceModuleOptions options;
  fxt::TableBudget tables{.limit = tables::kMaxTableBytes};  // of all tables
  KeptBudget kept;
};

// SQLite knows the first member, and that alone.
struct TraceTable {
  explicit TraceTable(Module& of) : module(of) {}
  sqlite3_vtab base = {};
  std::shared_ptr<TraceFile> file;
  tables::Table table = tables::Table::kCaptures;
  Module& module;
  tables::TextPool texts{tables::TextPool::kMaxBytes, &module.tables};
  uint64_t staying = 0;  // bit i: texts of column i stay for as long as this does
  std::optional<KeptScans> kept;
};

struct Cursor {
  explicit Cursor(TraceTable& of)
      : cursor(*of.file, of.table, of.texts, of.module.tables, *of.kept,
               of.module.options.cache.get(), of.module.options.windows.get(),
               of.module.options.cancelled) {}
  sqlite3_vtab_cursor base = {};
  TableCursor cursor;
};

TraceTable& Of(sqlite3_vtab* table) { return *reinterpret_cast<TraceTable*>(table); }
Cursor& Of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<Cursor*>(cursor); }

// Nothing may be thrown through SQLite: out of memory is all that is.
template <typename Work>
int Guarded(Work&& work) {
  try {
    return work();
  } catch (const std::exception&) {
    return SQLITE_NOMEM;
  }
}

std::string TextOf(const util::Error& error) {
  return error.hint.empty() ? error.message : fmt::format("{} ({})", error.message, error.hint);
}

int Refuse(char** message, const std::string& text) {
  *message = sqlite3_mprintf("%s", text.c_str());
  return SQLITE_ERROR;
}

int Fail(TraceTable& table, const util::Error& error) {
  sqlite3_free(table.base.zErrMsg);
  return Refuse(&table.base.zErrMsg, TextOf(error));
}

// An argument as it was written, without its quotes.
std::string Unquoted(std::string text) {
  if (text.size() < 2 || text.front() != text.back() ||
      (text.front() != '\'' && text.front() != '"')) {
    return text;
  }
  std::string plain;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    plain += text[i];
    if (text[i] == text.front()) ++i;
  }
  return plain;
}

std::string Declaration(const tables::TableInfo& info, bool has_windows) {
  static constexpr const char* kTypes[] = {"INTEGER", "REAL", "TEXT"};
  std::string text = "CREATE TABLE x(";
  for (const Column& column : info.columns) {
    text +=
        fmt::format("{}\"{}\" {}{}", text.back() == '(' ? "" : ", ", column.name,
                    kTypes[static_cast<size_t>(column.type)], column.nullable ? "" : " NOT NULL");
  }
  for (size_t i = 0; has_windows && i < StatementWindows::kMost; ++i) {
    text += fmt::format(", \"{}\" HIDDEN", NameOfWindow(i));
  }
  return text + ")";
}

int Connect(sqlite3* database, void* context, int argc, const char* const* argv,
            sqlite3_vtab** result, char** message) {
  return Guarded([&] {
    if (argc < 4 || argc > 5) return Refuse(message, "fxt takes a file and perhaps a table");
    const std::string name = Unquoted(argc == 5 ? argv[4] : argv[2]);
    const auto table = tables::TableNamed(name);
    if (!table) {
      std::string known;
      for (const auto& info : tables::Tables()) known += fmt::format(" {}", info.name);
      return Refuse(message, fmt::format("a trace has no table {}; it has{}", name, known));
    }
    auto file = TraceFile::Open(Unquoted(argv[3]));
    if (!file) return Refuse(message, TextOf(file.error()));
    const bool has_windows = static_cast<Module*>(context)->options.windows != nullptr;
    const int code =
        sqlite3_declare_vtab(database, Declaration(InfoOf(*table), has_windows).c_str());
    if (code != SQLITE_OK) return code;
    auto made = std::make_unique<TraceTable>(*static_cast<Module*>(context));
    made->file = std::move(*file);
    made->table = *table;
    const auto& columns = InfoOf(*table).columns;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].repeats) made->staying |= uint64_t{1} << i;
    }
    made->kept.emplace(made->staying, made->module.kept);
    *result = &made.release()->base;
    return SQLITE_OK;
  });
}

int Disconnect(sqlite3_vtab* table) {
  delete &Of(table);
  return SQLITE_OK;
}

std::optional<Condition> ConditionOf(Column::Role role, unsigned char op) {
  if (role == Column::Role::kCpu || role == Column::Role::kTid) {
    if (op != SQLITE_INDEX_CONSTRAINT_EQ) return std::nullopt;
    return role == Column::Role::kCpu ? Condition::kCpu : Condition::kTid;
  }
  if (role != Column::Role::kTime) return std::nullopt;
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_GT:
      return Condition::kAfter;
    case SQLITE_INDEX_CONSTRAINT_GE:
      return Condition::kFrom;
    case SQLITE_INDEX_CONSTRAINT_LT:
      return Condition::kBefore;
    case SQLITE_INDEX_CONSTRAINT_LE:
      return Condition::kUpTo;
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return Condition::kAt;
    default:
      return std::nullopt;
  }
}

// Older ones tell neither what an order is for nor what comes from a list.
bool TellsMore() { return sqlite3_libversion_number() >= 3038000; }

// Whether a condition is one of a list, for each of whose values the file would be read.
bool IsOfList(sqlite3_index_info& query, int constraint) {
  return TellsMore() && sqlite3_vtab_in(&query, constraint, -1) != 0;
}

// Whether blocks of columns can be looked through for a condition.
bool IsForColumns(const tables::TableInfo& info, sqlite3_index_info& query, int constraint) {
  if (!TellsMore()) return false;
  const tables::Type type =
      info.columns[static_cast<size_t>(query.aConstraint[constraint].iColumn)].type;
  switch (query.aConstraint[constraint].op) {
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
      return type != tables::Type::kReal;
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_IS:
      if (type == tables::Type::kText) {
        return std::strcmp(sqlite3_vtab_collation(&query, constraint), "BINARY") == 0;
      }
      return type == tables::Type::kInteger;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
      return type == tables::Type::kInteger;
    default:
      return false;
  }
}

// Estimated number of rows of a table, for the order of a join.
double RowsOf(tables::Table table) {
  switch (table) {
    case tables::Table::kCaptures:
      return 1;
    case tables::Table::kCpus:
      return 16;
    case tables::Table::kProcesses:
    case tables::Table::kThreads:
    case tables::Table::kSettings:
      return 1e3;
    case tables::Table::kRequests:
      return 1e4;
    default:
      return 1e6;
  }
}

// Whether the other side of a condition is of another table, so that there is a scan for each of
// its rows, or a subquery.
bool Varies(sqlite3_index_info& query, int constraint) {
  sqlite3_value* value = nullptr;
  return TellsMore() && sqlite3_vtab_rhs_value(&query, constraint, &value) != SQLITE_OK;
}

// Cost of finding rows by a column that equals a value of another table, less is better; 0: not at
// all.
int RankOf(const Column& column, sqlite3_index_info& query, int constraint) {
  if (query.aConstraint[constraint].op != SQLITE_INDEX_CONSTRAINT_EQ) return 0;
  switch (column.type) {
    case tables::Type::kInteger:
      return column.repeats || column.name == "pid" ? 2 : 1;
    case tables::Type::kText:
      return std::strcmp(sqlite3_vtab_collation(&query, constraint), "BINARY") == 0 ? 3 : 0;
    case tables::Type::kReal:
      break;
  }
  return 0;
}

// Parts of a table that a value of a key chooses, by RankOf(); of times between two.
constexpr double kChosen[] = {0, 1e-5, 1e-3, 1e-2};
constexpr double kChosenBetween = 1e-2;
constexpr double kCostOfLookup = 20;

// Whether rows can come put together by the columns of a GROUP BY or DISTINCT.
bool CanGroup(const tables::TableInfo& info, sqlite3_index_info& query) {
  if (query.nOrderBy == 0 || !TellsMore()) return false;
  const int wanted = sqlite3_vtab_distinct(&query);
  if (wanted != 1 && wanted != 2) return false;
  for (int i = 0; i < query.nOrderBy; ++i) {
    const int column = query.aOrderBy[i].iColumn;
    if (column < 0 || static_cast<size_t>(column) >= info.columns.size() ||
        !info.columns[static_cast<size_t>(column)].repeats)
      return false;
  }
  for (size_t i = 0; i < info.columns.size(); ++i) {
    const Column& column = info.columns[i];
    if ((query.colUsed >> i & 1) == 0) continue;
    if (column.type == tables::Type::kReal) return false;
    if (column.type == tables::Type::kText && !column.repeats) return false;
  }
  return true;
}

int BestIndex(sqlite3_vtab* base, sqlite3_index_info* query) {
  return Guarded([&] {
    const tables::TableInfo& info = InfoOf(Of(base).table);
    const bool has_cache = Of(base).module.options.cache != nullptr;
    ScanPlan plan;
    const size_t columns = info.columns.size();
    plan.columns = query->colUsed & ((uint64_t{1} << columns) - 1);
    plan.windows = query->colUsed >> columns & ((uint64_t{1} << StatementWindows::kMost) - 1);
    // The whole file is read whatever is chosen of it: one pass, and SQLite looks at all rows, is
    // better than two of fewer.
    double rows = RowsOf(info.table);
    int best = 0;
    std::optional<uint8_t> time;
    bool is_after = false;
    bool is_before = false;
    for (int i = 0; i < query->nConstraint; ++i) {
      const auto& constraint = query->aConstraint[i];
      if (constraint.usable == 0 || constraint.iColumn < 0 ||
          static_cast<size_t>(constraint.iColumn) >= columns) {
        continue;
      }
      const auto add = [&](Condition condition, uint8_t operation) {
        plan.conditions.push_back(condition);
        plan.operands.push_back(static_cast<uint8_t>(constraint.iColumn));
        plan.operations.push_back(operation);
        query->aConstraintUsage[i].argvIndex = static_cast<int>(plan.conditions.size());
      };
      if (IsOfList(*query, i)) {
        if (!has_cache || !IsForColumns(info, *query, i)) continue;
        sqlite3_vtab_in(query, i, 1);
        add(Condition::kEqual, ScanPlan::kListed);
        continue;
      }
      const auto number = static_cast<uint8_t>(constraint.iColumn);
      const Column& column = info.columns[number];
      const auto condition = ConditionOf(column.role, constraint.op);
      const bool varies = plan.conditions.size() < 64 && Varies(*query, i);
      const int rank = varies ? RankOf(column, *query, i) : 0;
      if (!condition && rank == 0) {
        if (has_cache && !varies && IsForColumns(info, *query, i)) {
          add(Condition::kEqual, constraint.op);
        }
        continue;
      }
      if (varies) plan.varying |= uint64_t{1} << plan.conditions.size();
      if (rank != 0 && (best == 0 || rank < best)) {
        best = rank;
        plan.key = number;
        plan.key_condition = static_cast<uint8_t>(plan.conditions.size());
      } else if (varies && column.role == Column::Role::kTime) {
        time = number;
        is_after |= condition == Condition::kAfter || condition == Condition::kFrom;
        is_before |= condition == Condition::kBefore || condition == Condition::kUpTo;
      }
      add(condition.value_or(Condition::kEqual), constraint.op);
      if (!condition || varies) continue;
      rows /= *condition == Condition::kAt || *condition == Condition::kTid ? 100 : 4;
    }
    if (best == 0) plan.key = time;
    if (plan.key) {
      if (best != 0) rows *= kChosen[best];
      // Half of the rows are on one side of a time.
      if (time) rows *= is_after && is_before ? kChosenBetween : 0.5;
      // All scans but the first two find their rows in memory.
      query->estimatedCost = kCostOfLookup + rows;
    } else {
      query->estimatedCost = 2e6 + rows;
      const int width = std::popcount(plan.columns) + std::popcount(plan.windows);
      if (width <= static_cast<int>(tables::kMaxColumns) && CanGroup(info, *query)) {
        for (int i = 0; i < query->nOrderBy; ++i) {
          plan.grouped_by.push_back(static_cast<uint8_t>(query->aOrderBy[i].iColumn));
        }
        query->orderByConsumed = 1;
      }
    }
    query->estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
    query->idxStr = sqlite3_mprintf("%s", plan.Encode().c_str());
    query->needToFreeIdxStr = 1;
    return query->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
  });
}

int Open(sqlite3_vtab* table, sqlite3_vtab_cursor** result) {
  return Guarded([&] {
    *result = &std::make_unique<Cursor>(Of(table)).release()->base;
    return SQLITE_OK;
  });
}

int Close(sqlite3_vtab_cursor* cursor) {
  delete &Of(cursor);
  return SQLITE_OK;
}

void TellEnd(Cursor& at, const TraceTable& table) {
  const auto& on_end = table.module.options.on_end;
  if (!at.cursor.at_end() || !on_end) return;
  if (const auto faults = at.cursor.faults()) on_end(*faults);
}

// Adds a value to those of a condition. False: it is not of the type of the column.
bool AddValue(sqlite3_value* value, ColumnCondition& condition) {
  const int type = sqlite3_value_type(value);
  if (condition.is_text ? type != SQLITE_TEXT : type != SQLITE_INTEGER) return false;
  if (condition.is_text) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    if (text == nullptr) return false;
    condition.texts.emplace_back(text, static_cast<size_t>(sqlite3_value_bytes(value)));
  } else {
    condition.numbers.push_back(sqlite3_value_int64(value));
  }
  return true;
}

// A condition as blocks of columns are looked through for it; SQLite looks at all rows again.
std::optional<ColumnCondition> ColumnConditionOf(const tables::TableInfo& info, uint8_t column,
                                                 uint8_t operation, sqlite3_value* value) {
  ColumnCondition condition{.column = column};
  condition.is_text = info.columns[column].type == tables::Type::kText;
  switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
      return condition;
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
      condition.kind = ColumnCondition::Kind::kIsNotNull;
      return condition;
    case ScanPlan::kListed: {
      condition.kind = ColumnCondition::Kind::kIn;
      sqlite3_value* each = nullptr;
      int code = sqlite3_vtab_in_first(value, &each);
      for (; code == SQLITE_OK && each != nullptr; code = sqlite3_vtab_in_next(value, &each)) {
        if (!AddValue(each, condition)) return std::nullopt;
      }
      return code == SQLITE_OK || code == SQLITE_DONE ? std::optional(condition) : std::nullopt;
    }
    default:
      break;
  }
  if (!AddValue(value, condition)) return std::nullopt;
  condition.kind = ColumnCondition::Kind::kFromTo;
  const int64_t number = condition.is_text ? 0 : condition.numbers[0];
  switch (operation) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_IS:
      condition.kind = ColumnCondition::Kind::kIn;
      return condition;
    case SQLITE_INDEX_CONSTRAINT_NE:
      condition.kind = ColumnCondition::Kind::kNotIn;
      return condition;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
      condition.from = number;
      return condition;
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
      condition.to = number;
      return condition;
    default:
      return std::nullopt;
  }
}

int Filter(sqlite3_vtab_cursor* base, int, const char* text, int argc, sqlite3_value** argv) {
  return Guarded([&] {
    Cursor& at = Of(base);
    TraceTable& table = Of(base->pVtab);
    const ScanPlan plan = ScanPlan::Decode(text);
    ScanRequest request;
    for (int i = 0; i < argc; ++i) {
      const Condition condition = plan.conditions[static_cast<size_t>(i)];
      const bool varies = (plan.varying >> i & 1) != 0;
      const uint8_t operation = plan.operations[static_cast<size_t>(i)];
      if (table.module.options.cache != nullptr) {
        auto of_columns = ColumnConditionOf(
            InfoOf(table.table), plan.operands[static_cast<size_t>(i)], operation, argv[i]);
        if (of_columns) request.conditions.push_back(std::move(*of_columns));
      }
      if (operation == ScanPlan::kListed) continue;
      const auto narrow = [&](auto value) {
        Narrow(request.filter, condition, value);
        if (!varies) Narrow(request.constant, condition, value);
      };
      Cell value;
      // SQLite looks at the conditions again: it selects rows by conditions on other values itself.
      switch (sqlite3_value_type(argv[i])) {
        case SQLITE_INTEGER:
          value.Set(int64_t{sqlite3_value_int64(argv[i])});
          narrow(value.integer);
          break;
        case SQLITE_FLOAT:
          value.Set(sqlite3_value_double(argv[i]));
          narrow(value.real);
          break;
        case SQLITE_NULL:
          break;
        default: {
          const auto* words = reinterpret_cast<const char*>(sqlite3_value_text(argv[i]));
          const auto bytes = static_cast<size_t>(sqlite3_value_bytes(argv[i]));
          value.Set(std::string_view(words == nullptr ? "" : words, words == nullptr ? 0 : bytes));
        }
      }
      if (plan.key_condition == i) request.key = value;
    }
    if (auto status = at.cursor.Begin(plan, request); !status) return Fail(table, status.error());
    TellEnd(at, table);
    return SQLITE_OK;
  });
}

int Next(sqlite3_vtab_cursor* base) {
  return Guarded([&] {
    Cursor& at = Of(base);
    if (!at.cursor.Next()) return Fail(Of(base->pVtab), at.cursor.error());
    if (at.cursor.at_end()) TellEnd(at, Of(base->pVtab));
    return SQLITE_OK;
  });
}

int AtEnd(sqlite3_vtab_cursor* cursor) { return Of(cursor).cursor.at_end() ? 1 : 0; }

int GetColumn(sqlite3_vtab_cursor* base, sqlite3_context* context, int number) {
  const Cell& cell = Of(base).cursor.column(static_cast<uint8_t>(number));
  switch (cell.kind) {
    case Cell::Kind::kNull:
      sqlite3_result_null(context);
      break;
    case Cell::Kind::kInteger:
      sqlite3_result_int64(context, cell.integer);
      break;
    case Cell::Kind::kReal:
      sqlite3_result_double(context, cell.real);
      break;
    case Cell::Kind::kText: {
      const bool stays = (Of(base->pVtab).staying >> number & 1) != 0;
      sqlite3_result_text(context, cell.text,
                          static_cast<int>(std::min<uint32_t>(cell.bytes, INT32_MAX)),
                          stays ? SQLITE_STATIC : SQLITE_TRANSIENT);
      break;
    }
  }
  return SQLITE_OK;
}

int RowId(sqlite3_vtab_cursor* cursor, sqlite3_int64* result) {
  *result = Of(cursor).cursor.id();
  return SQLITE_OK;
}

const sqlite3_module kModule = [] {
  sqlite3_module module = {};
  module.iVersion = 1;
  module.xCreate = Connect;
  module.xConnect = Connect;
  module.xBestIndex = BestIndex;
  module.xDisconnect = Disconnect;
  module.xDestroy = Disconnect;
  module.xOpen = Open;
  module.xClose = Close;
  module.xFilter = Filter;
  module.xNext = Next;
  module.xEof = AtEnd;
  module.xColumn = GetColumn;
  module.xRowid = RowId;
  return module;
}();

void DeleteModule(void* module) { delete static_cast<Module*>(module); }

}  // namespace

int RegisterTraceModule(sqlite3* database, TraceModuleOptions options) {
  return Guarded([&] {
    auto kept = std::make_unique<Module>(std::move(options));
    // SQLite owns it from here on, also after an error.
    const int code =
        sqlite3_create_module_v2(database, "fxt", &kModule, kept.release(), DeleteModule);
    return code != SQLITE_OK ? code : RegisterAggregates(database);
  });
}

}  // namespace query
