// SPDX-License-Identifier: BSD-2-Clause
// A trace as a read-only database.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/group_query.h"
#include "query/relation.h"
#include "query/result_writer.h"
#include "query/trace_file.h"
#include "query/trace_module.h"
#include "util/result.h"

struct sqlite3_stmt;

namespace query {

class Database {
 public:
  // Errors: those of the file. With `cache`, rows come from the columns of the trace
  // (column_cache.h).
  static util::Result<std::unique_ptr<Database>> Open(const std::string& trace,
                                                      TraceModuleOptions options,
                                                      const columns::CacheOptions* cache = nullptr);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs statements, separated by semicolons, up to the first error. The text has no NUL.
  // Statements only read; they may create temporary tables, views and indexes of this connection.
  // `done`, if not null, is called after each row; true ends the run.
  util::Status Run(const std::string& statements, ResultWriter& writer,
                   const std::function<bool()>& done = nullptr);

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Closer>;

  Database(sqlite3* database, std::shared_ptr<TraceFile> file)
      : file_(std::move(file)), database_(database) {}
  util::Error Failure() const;
  // Drops the tables of groups of a statement in the end.
  class GroupTables {
   public:
    explicit GroupTables(Database& of) : database_(of) {}
    ~GroupTables() { database_.DropGroups(); }
    GroupTables(const GroupTables&) = delete;
    GroupTables& operator=(const GroupTables&) = delete;

   private:
    Database& database_;
  };

  // The statement in which the cache answers all parts that it can; null if it can answer none.
  Statement FromColumns(std::string_view original, sqlite3_stmt* prepared);
  // Null if SQLite rejects it.
  Statement Prepared(const std::string& text) const;
  // The statement with tables of groups instead of the SELECTs that the cache answers.
  std::string WithGroups(std::string_view statement);
  bool MakeGroups(const GroupSelect& select);
  // Adds the rows of a SELECT. False: it fails, there is no room, or a value is neither a number
  // nor a text.
  bool Load(const std::string& select, Relation& to);
  std::optional<std::vector<RelationColumn>> Describe(const std::string& select) const;
  // The statement with hidden columns instead of the window functions that the cache answers.
  std::string WithWindows(std::string_view statement);
  // The statement with conditions that exclude rows which cannot be among the first ones.
  std::string WithTops(std::string_view statement);
  bool IsHidden(tables::Table table) const;
  bool ReadsHidden(const GroupQuery& query) const;
  // True if a temporary table, view or index meets a condition of sqlite_schema.
  bool HasTemporary(const std::string& condition) const;
  void DropGroups();

  std::shared_ptr<TraceFile> file_;
  std::function<bool()> cancelled_;  // called by the members below
  std::function<void(const tables::ScanFaults&)> on_end_;
  std::shared_ptr<columns::ColumnCache> cache_;  // may be null
  std::shared_ptr<StatementWindows> windows_;    // null without a cache
  size_t group_selects_ = 0;                     // of a statement, some of which have tables
  std::unique_ptr<sqlite3, Closer> database_;
};

}  // namespace query
