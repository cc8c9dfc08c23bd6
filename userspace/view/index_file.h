// SPDX-License-Identifier: BSD-2-Clause
// Saves the index of a trace in a file beside it, and loads it.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "columns/column_file.h"
#include "util/result.h"
#include "util/unique_fd.h"
#include "view/trace_index.h"

namespace view {

// The file is TRACE.index. It is loaded only if it belongs to this user, no other user can write to
// it (output::OpenTrusted), its header matches the trace's size, this version and the limits, and
// its hash is right. Any other file is replaced if the output rules allow it
// (output/output_file.h).
class IndexFile {
 public:
  struct Loaded {
    std::unique_ptr<TraceIndex> index;
    std::string damage;  // of the trace
    columns::TraceKey key;
    // The trace has the same modification time as when the index was made.
    bool is_unchanged = false;
  };

  // `path` is the path of the trace, which must be a regular file.
  static util::Result<std::unique_ptr<IndexFile>> Open(const std::string& path,
                                                       const IndexLimits& limits);

  static std::string PathOf(const std::string& trace) { return trace + ".index"; }

  // Loads the saved index; empty if there is none that can be used. It belongs to the trace only if
  // KeyOf() returns the same key.
  std::optional<Loaded> Load() const;
  // Computes the key from the whole content of the trace.
  util::Result<columns::TraceKey> KeyOf(const std::function<bool()>& cancelled) const {
    return columns::KeyOf(trace_.get(), cancelled);
  }
  // Writes a finished index. Calls `between` periodically. Writes no file if `cancelled` returns
  // true. Errors: the file cannot be written, or the trace has changed since it was opened.
  util::Status Save(TraceIndex& index, const std::string& damage,
                    const std::function<void()>& between,
                    const std::function<bool()>& cancelled) const;

 private:
  IndexFile(std::string path, util::UniqueFd trace, const struct stat& status,
            const IndexLimits& limits)
      : path_(std::move(path)), trace_(std::move(trace)), status_(status), limits_(limits) {}
  // A hash of everything that determines the format of the file.
  uint64_t FormatHash() const;

  std::string path_;
  util::UniqueFd trace_;
  struct stat status_;
  IndexLimits limits_;
};

}  // namespace view
