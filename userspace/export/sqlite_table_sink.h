// SPDX-License-Identifier: BSD-2-Clause
// Writes all tables to an SQLite database.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/fd_vfs.h"
#include "export/table_sink.h"
#include "fxt/text_map.h"
#include "output/open_output.h"

struct sqlite3_stmt;

namespace exporting {

// Repeated texts are stored once in the table `texts`. The rows of a table such as slices are in
// slices_rows, with columns like process_id, and the view `slices` has the texts. Indexes of
// slices_rows and waits_rows cover sums by process and thread. See docs/tables.md.
class SqliteTableSink final : public TableSink {
 public:
  static util::Result<std::unique_ptr<TableSink>> Open(const std::string& path,
                                                       const std::vector<tables::Table>& tables,
                                                       const output::FileOptions& options);
  ~SqliteTableSink() override;

  util::Status Write(const tables::RowBatch& rows, int64_t capture) override;
  util::Status Finish() override;

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Closer>;

  SqliteTableSink(std::string path, std::shared_ptr<output::OutputFile> file, util::UniqueFd fd);
  util::Status Begin(const std::vector<tables::Table>& tables);
  util::Status Execute(const std::string& statements);
  util::Result<Statement> Prepare(const std::string& statement);
  util::Error Failure() const;
  // The row id of a text; 0 on failure.
  int64_t IdOf(std::string_view text);

  std::string path_;
  std::shared_ptr<output::OutputFile> file_;
  util::UniqueFd fd_;
  FdVfs vfs_;
  std::unique_ptr<sqlite3, Closer> database_;
  Statement insert_text_;
  std::array<Statement, tables::kTables> insert_;
  // By the text's address, which is fast, and by its content.
  std::unordered_map<const char*, int64_t> id_at_;
  fxt::TextViewMap<int64_t> ids_;
};

}  // namespace exporting
