// SPDX-License-Identifier: BSD-2-Clause
#include "export/file_table_sink.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>
#include <utility>

#include "output/output_file.h"
#include "sink/file_sink.h"
#include "sink/gzip_sink.h"

namespace exporting {
namespace {

// This level shrinks text to a fifth; higher levels take twice as long for a tenth less.
constexpr int kLevel = 4;

// True if it was created.
util::Result<bool> MakeFolder(const std::string& path, mode_t mode) {
  // A directory needs search permission for everyone who may read the files.
  const mode_t look = (mode & 0444) >> 2;
  if (mkdir(path.c_str(), 0700 | mode | look) == 0) return true;
  const int error = errno;
  struct stat status = {};
  if (error == EEXIST && stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return false;
  }
  if (error == EEXIST) {
    return util::Error{fmt::format("{} exists and is not a folder", path),
                       "each table gets a file of its own: name a folder with -o"};
  }
  return util::Error{
      fmt::format("cannot make {}: {}", path, std::generic_category().message(error)), ""};
}

}  // namespace

FileTableSink::~FileTableSink() {
  // Before the folder that contains them.
  for (File& file : files_) {
    file.sink.reset();
    file.file.reset();
  }
  if (!made_folder_.empty()) rmdir(made_folder_.c_str());
}

util::Status FileTableSink::OpenFile(File& file, const std::string& path,
                                     const FileTableOptions& options) {
  output::FileOptions how = options.file;
  how.with_others = true;
  auto output = path == "-" ? sink::Output::OpenStdout() : sink::Output::OpenFile(path, how);
  if (!output) return output.TakeError();
  file.file = output->file();
  if (options.gzip) {
    file.sink =
        std::make_unique<sink::GzipSink>(std::move(*output), sink::GzipEffort{.level = kLevel});
  } else {
    file.sink = std::make_unique<sink::FileSink>(std::move(*output));
  }
  return util::Ok();
}

util::Result<std::unique_ptr<TableSink>> FileTableSink::Open(const FileTableOptions& options) {
  const bool to_stdout = options.path == "-";
  if (to_stdout && options.tables.size() != 1) {
    return util::Error{"standard output takes one table", "choose it with --table"};
  }
  std::unique_ptr<FileTableSink> made(new FileTableSink(options.format));
  if (!to_stdout) {
    const auto is_new = MakeFolder(options.path, options.file.mode);
    if (!is_new) return is_new.error();
    if (*is_new) made->made_folder_ = options.path;
  }
  for (const tables::Table table : options.tables) {
    const tables::TableInfo& info = InfoOf(table);
    File& file = made->files_[static_cast<size_t>(table)];
    const std::string path = to_stdout
                                 ? "-"
                                 : fmt::format("{}/{}.{}{}", options.path, info.name,
                                               NameOf(options.format), options.gzip ? ".gz" : "");
    if (auto status = made->OpenFile(file, path, options); !status) return status.TakeError();
    AppendHeader(file.buffer, options.format, info);
  }
  return std::unique_ptr<TableSink>(std::move(made));
}

bool FileTableSink::Flush(File& file) {
  const auto bytes = std::as_bytes(std::span(file.buffer.data(), file.buffer.size()));
  for (size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    if (!file.sink->Write(bytes.subspan(at, std::min(kChunkBytes, bytes.size() - at))))
      return false;
  }
  file.buffer.clear();
  return true;
}

util::Status FileTableSink::Write(const tables::RowBatch& rows, int64_t capture) {
  File& file = files_[static_cast<size_t>(rows.table())];
  const tables::TableInfo& info = InfoOf(rows.table());
  for (size_t i = 0; i < rows.size(); ++i) {
    AppendRow(file.buffer, format_, info, capture, rows.row(i));
    if (file.buffer.size() >= kChunkBytes && !Flush(file)) return file.sink->Close();
  }
  return util::Ok();
}

util::Status FileTableSink::Finish() {
  std::vector<std::shared_ptr<output::OutputFile>> written;
  for (File& file : files_) {
    if (!file.sink) continue;
    Flush(file);
    if (auto status = file.sink->Close(); !status) return status;
    if (file.file) written.push_back(file.file);
  }
  if (auto status = output::PublishTogether(written); !status) return status;
  made_folder_.clear();
  return util::Ok();
}

}  // namespace exporting
