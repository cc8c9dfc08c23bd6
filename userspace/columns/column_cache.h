// SPDX-License-Identifier: BSD-2-Clause
// Finds or makes the columns of a trace, in a file beside it or in an unnamed file.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "columns/column_file.h"
#include "util/result.h"

namespace columns {

struct CacheOptions {
  // Called periodically while columns are made; true cancels with an error. May be null.
  std::function<bool()> cancelled;
  // Called with a message for the user: why there is no file beside the trace. May be null.
  std::function<void(const std::string&)> on_note;
};

// The file beside the trace is TRACE.cache. It is used if it is a regular file of this user (or of
// root, or the user who called sudo) with one hard link, no symbolic link and not writable by
// others, of a trace with these contents, and made by this version. Any other file is replaced if
// output rules allow it (output/output_file.h).
class ColumnCache {
 public:
  // `fd` is the open trace, which the caller owns; `path` is the name for messages.
  ColumnCache(std::string path, int fd, CacheOptions options)
      : path_(std::move(path)), trace_(fd), options_(std::move(options)) {}
  ColumnCache(const ColumnCache&) = delete;
  ColumnCache& operator=(const ColumnCache&) = delete;

  static std::string PathOf(const std::string& trace) { return trace + ".cache"; }

  // Returns the columns, after verifying these of a table (bit i: column i). Makes them if there
  // are none, or if they are damaged. The result stays valid as long as it is held. Errors: those
  // of reading and writing files; has_failed() is true if another call would fail, too.
  util::Result<std::shared_ptr<const ColumnFile>> Columns(tables::Table table, uint64_t columns);
  bool has_failed() const { return has_failed_; }

 private:
  struct Order {
    unsigned sets = 0;  // bits of ColumnSets
    std::shared_ptr<ColumnFile> before = nullptr;
  };
  util::Status FindKey();
  std::shared_ptr<ColumnFile> Find() const;
  util::Status Make(const Order& order);
  util::Result<std::shared_ptr<ColumnFile>> MakeBesideTrace(const Order& order);
  util::Result<std::shared_ptr<ColumnFile>> MakeUnnamed(const Order& order);
  util::Result<std::shared_ptr<ColumnFile>> Write(int fd, const Order& order);

  std::string path_;
  int trace_;
  CacheOptions options_;
  TraceKey key_;
  bool has_key_ = false;
  bool has_failed_ = false;
  std::shared_ptr<ColumnFile> file_;
};

}  // namespace columns
