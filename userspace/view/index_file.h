// SPDX-License-Identifier: BSD-2-Clause
// The index of a trace in a file beside it.
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

// The file is TRACE.index. It is read if it is a file of this user that no other may write to
// (output::OpenTrusted), says that it is of a trace of this size, made by this version with these
// limits, and has the bytes that were written. Any other file is replaced if output rules allow it
// (output/output_file.h).
class IndexFile {
 public:
  struct Loaded {
    std::unique_ptr<TraceIndex> index;
    std::string damage;  // of the trace
    columns::TraceKey key;
    // The trace has the time of its last change that it had when the index was made.
    bool is_unchanged = false;
  };

  // `path` is that of the trace, which has to be a regular file.
  static util::Result<std::unique_ptr<IndexFile>> Open(const std::string& path,
                                                       const IndexLimits& limits);

  static std::string PathOf(const std::string& trace) { return trace + ".index"; }

  // The index that is there; empty if there is none that can be used. It is that of the trace if
  // KeyOf() says the same key.
  std::optional<Loaded> Load() const;
  // Reads all of the trace.
  util::Result<columns::TraceKey> KeyOf(const std::function<bool()>& cancelled) const {
    return columns::KeyOf(trace_.get(), cancelled);
  }
  // Writes an index that is finished. `between` is called from time to time; nothing is written if
  // `cancelled` says true. Errors: the file cannot be written, or the trace has changed since it
  // was opened.
  util::Status Save(TraceIndex& index, const std::string& damage,
                    const std::function<void()>& between,
                    const std::function<bool()>& cancelled) const;

 private:
  IndexFile(std::string path, util::UniqueFd trace, const struct stat& status,
            const IndexLimits& limits)
      : path_(std::move(path)), trace_(std::move(trace)), status_(status), limits_(limits) {}
  // Differs if what is written differs.
  uint64_t FormatHash() const;

  std::string path_;
  util::UniqueFd trace_;
  struct stat status_;
  IndexLimits limits_;
};

}  // namespace view
