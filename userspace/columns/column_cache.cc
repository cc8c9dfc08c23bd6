// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "columns/column_writer.h"
#include "output/open_output.h"
#include "output/owner_rules.h"
#include "output/unnamed_file.h"
#include "source/input.h"

namespace columns {

util::Result<std::shared_ptr<const ColumnFile>> ColumnCache::Columns(tables::Table table,
                                                                     uint64_t columns) {
  if (has_failed_) return util::Error{"there is no cache", ""};
  if (!file_) {
    if (auto done = FindOrMake(); !done) return done.TakeError();
  }
  if (!file_->Verify(table, columns)) {
    if (auto done = Make(); !done) return done.TakeError();
    if (!file_->Verify(table, columns)) {
      return util::Error{"the columns of the cache cannot be read back", ""};
    }
  }
  return std::shared_ptr<const ColumnFile>(file_);
}

util::Status ColumnCache::FindOrMake() {
  if (!has_key_) {
    auto key = KeyOf(trace_);
    if (!key) return key.TakeError();
    key_ = *key;
    has_key_ = true;
  }
  file_ = Find();
  return file_ ? util::Ok() : Make();
}

std::shared_ptr<ColumnFile> ColumnCache::Find() const {
  util::UniqueFd fd = output::OpenTrusted(PathOf(path_));
  if (!fd) return nullptr;
  auto opened = ColumnFile::Open(std::move(fd), key_);
  return opened ? std::shared_ptr<ColumnFile>(std::move(*opened)) : nullptr;
}

util::Status ColumnCache::Make() {
  file_.reset();
  auto made = MakeBesideTrace();
  const bool is_beside = made.ok();
  const std::string why = is_beside ? "" : made.error().message;
  const bool is_cancelled = options_.cancelled && options_.cancelled();
  if (!is_beside && !is_cancelled) made = MakeUnnamed();
  has_failed_ = !made && !is_cancelled;
  if (!is_beside && !is_cancelled && options_.on_note) {
    options_.on_note(fmt::format(
        "no cache beside the trace: {}; {}", why,
        has_failed_ ? "each question reads the trace" : "it is kept for this run only"));
  }
  if (!made) return made.TakeError();
  file_ = std::move(*made);
  return util::Ok();
}

util::Result<std::shared_ptr<ColumnFile>> ColumnCache::MakeBesideTrace() {
  const std::string path = PathOf(path_);
  struct stat status = {};
  if (lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return util::Error{fmt::format("{} is not a regular file", path), ""};
  }
  auto opened = output::OpenOutputAt(path, {.option = "--cache"});
  if (!opened) return opened.TakeError();
  if (!opened->file) return util::Error{fmt::format("{} is not a regular file", path), ""};
  auto written = Write(opened->file->fd());
  if (!written) {
    opened->file->Discard();
    return written;
  }
  if (auto done = opened->file->Publish(); !done) return done.TakeError();
  return written;
}

util::Result<std::shared_ptr<ColumnFile>> ColumnCache::MakeUnnamed() {
  auto fd = output::MakeUnnamedFile();
  if (!fd) return fd.TakeError();
  return Write(fd->get());
}

util::Result<std::shared_ptr<ColumnFile>> ColumnCache::Write(int fd) {
  auto source = source::OpenInput(fmt::format("/proc/self/fd/{}", trace_));
  if (!source) return util::Error{fmt::format("cannot read {} again", path_), ""};
  const ColumnsOf what{.file = path_, .key = key_, .cancelled = options_.cancelled};
  if (auto done = WriteColumns(what, **source, fd); !done) return done.TakeError();
  // Outputs are opened write-only.
  util::UniqueFd readable(open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDONLY | O_CLOEXEC));
  auto opened = ColumnFile::Open(std::move(readable), key_);
  if (!opened) return opened.TakeError();
  return std::shared_ptr<ColumnFile>(std::move(*opened));
}

}  // namespace columns
