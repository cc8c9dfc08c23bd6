// SPDX-License-Identifier: BSD-2-Clause
// Writes one file per table: slices.csv, waits.csv, ... All files get their names together at the
// end, so that tables of two exports never mix.
#pragma once

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "export/row_format.h"
#include "export/table_sink.h"
#include "output/output_file.h"
#include "sink/sink.h"

namespace exporting {

struct FileTableOptions {
  // A folder, which is created if necessary; or "-" for standard output and one table.
  std::string path;
  RowFormat format = RowFormat::kCsv;
  bool gzip = false;  // compresses each file, and appends .gz to its name
  std::vector<tables::Table> tables;
  output::FileOptions file;
};

class FileTableSink final : public TableSink {
 public:
  static util::Result<std::unique_ptr<TableSink>> Open(const FileTableOptions& options);
  ~FileTableSink() override;

  util::Status Write(const tables::RowBatch& rows, int64_t capture) override;
  util::Status Finish() override;

 private:
  // The size of a write.
  static constexpr size_t kChunkBytes = size_t{60} << 10;

  struct File {
    std::unique_ptr<sink::Sink> sink;
    std::shared_ptr<output::OutputFile> file;  // null for standard output
    fmt::memory_buffer buffer;
  };

  explicit FileTableSink(RowFormat format) : format_(format) {}
  util::Status OpenFile(File& file, const std::string& path, const FileTableOptions& options);
  static bool Flush(File& file);

  std::string made_folder_;  // removed again while it is empty
  RowFormat format_;
  std::array<File, tables::kTables> files_;
};

}  // namespace exporting
