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
    if (auto done = FindKey(); !done) return done.TakeError();
    file_ = Find();
  }
  const unsigned sets = SetsOf(table, columns);
  if (!file_) {
    if (auto done = Make({.sets = sets | BitOf(ColumnSet::kBase)}); !done) return done.TakeError();
  } else if ((sets & ~file_->sets()) != 0) {
    if (auto done = Make({.sets = sets & ~file_->sets(), .before = file_}); !done) {
      return done.TakeError();
    }
  }
  if (!file_->Verify(table, columns)) {
    if (auto done = Make({.sets = file_->sets()}); !done) return done.TakeError();
    if (!file_->Verify(table, columns)) {
      return util::Error{"the columns of the cache cannot be read back", ""};
    }
  }
  return std::shared_ptr<const ColumnFile>(file_);
}

util::Status ColumnCache::FindKey() {
  if (has_key_) return util::Ok();
  auto key = KeyOf(trace_);
  if (!key) return key.TakeError();
  key_ = *key;
  has_key_ = true;
  return util::Ok();
}

std::shared_ptr<ColumnFile> ColumnCache::Find() const {
  util::UniqueFd fd = output::OpenTrusted(PathOf(path_));
  if (!fd) return nullptr;
  auto opened = ColumnFile::Open(std::move(fd), key_);
  return opened ? std::shared_ptr<ColumnFile>(std::move(*opened)) : nullptr;
}

util::Status ColumnCache::Make(const Order& order) {
  file_.reset();
  auto made = MakeBesideTrace(order);
  const bool is_beside = made.ok();
  const std::string why = is_beside ? "" : made.error().message;
  const bool is_cancelled = options_.cancelled && options_.cancelled();
  if (!is_beside && !is_cancelled) made = MakeUnnamed(order);
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

util::Result<std::shared_ptr<ColumnFile>> ColumnCache::MakeBesideTrace(const Order& order) {
  const std::string path = PathOf(path_);
  struct stat status = {};
  if (lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return util::Error{fmt::format("{} is not a regular file", path), ""};
  }
  auto opened = output::OpenOutputAt(path, {.option = "--cache"});
  if (!opened) return opened.TakeError();
  if (!opened->file) return util::Error{fmt::format("{} is not a regular file", path), ""};
  auto written = Write(opened->file->fd(), order);
  if (!written) {
    opened->file->Discard();
    return written;
  }
  if (auto done = opened->file->Publish(); !done) return done.TakeError();
  return written;
}

util::Result<std::shared_ptr<ColumnFile>> ColumnCache::MakeUnnamed(const Order& order) {
  auto fd = output::MakeUnnamedFile();
  if (!fd) return fd.TakeError();
  return Write(fd->get(), order);
}

util::Result<std::shared_ptr<ColumnFile>> ColumnCache::Write(int fd, const Order& order) {
  auto source = source::OpenInput(fmt::format("/proc/self/fd/{}", trace_));
  if (!source) return util::Error{fmt::format("cannot read {} again", path_), ""};
  const ColumnsOf what{.file = path_,
                       .key = key_,
                       .sets = order.sets,
                       .before = order.before.get(),
                       .cancelled = options_.cancelled};
  if (auto done = WriteColumns(what, **source, fd); !done) return done.TakeError();
  // Outputs are opened write-only.
  util::UniqueFd readable(open(fmt::format("/proc/self/fd/{}", fd).c_str(), O_RDONLY | O_CLOEXEC));
  auto opened = ColumnFile::Open(std::move(readable), key_);
  if (!opened) return opened.TakeError();
  return std::shared_ptr<ColumnFile>(std::move(*opened));
}

}  // namespace columns
