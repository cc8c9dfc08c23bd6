// SPDX-License-Identifier: BSD-2-Clause
// A trace whose index is made while it is read, or is kept beside it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "fxt/byte_source.h"
#include "fxt/reader_provider.h"
#include "util/result.h"
#include "view/index_limits.h"

namespace view {

class IndexFile;
class TraceIndex;

class IndexedTrace {
 public:
  // Starts to read. `keeps_index`: the index that is beside the file is used if it is that of the
  // file, and written there otherwise. Errors: the file cannot be opened, or its first bytes are
  // not those of a trace.
  static util::Result<std::unique_ptr<IndexedTrace>> Open(const std::string& path,
                                                          const IndexLimits& limits = {},
                                                          bool keeps_index = false);
  // Stops reading.
  ~IndexedTrace();
  IndexedTrace(const IndexedTrace&) = delete;
  IndexedTrace& operator=(const IndexedTrace&) = delete;

  const std::string& path() const { return path_; }
  // Calls `use(TraceIndex&)` while nothing else does.
  template <typename Use>
  auto With(Use&& use) {
    ++waiting_;
    const std::lock_guard lock(mutex_);
    --waiting_;
    return use(*index_);
  }
  bool is_complete() const { return is_complete_; }
  // The part of the file that was read, in thousandths.
  uint32_t progress() const { return progress_; }
  // The error that ended the reading early; once it is complete.
  std::string damage() const { return is_complete_ ? damage_ : ""; }
  // Why there is no index beside the file although it is to be kept; may be empty.
  std::string index_note() {
    return With([this](TraceIndex&) { return index_note_; });
  }
  // Blocks until all is read.
  void Wait();

 private:
  IndexedTrace(std::string path, std::unique_ptr<fxt::ByteSource> source, const IndexLimits& limits,
               bool keeps_index);
  void Run();
  // Takes the index beside the file. Shows it at once, and checks then that it is of this content.
  bool TakeSavedIndex(const IndexFile& file);
  // False: it ended before the index was finished.
  bool Read();
  void SaveIndex(const IndexFile& file);

  std::string path_;
  std::unique_ptr<fxt::ByteSource> source_;
  fxt::TableBudget reader_tables_{.limit = size_t{64} << 20};
  IndexLimits limits_;
  bool keeps_index_;
  std::unique_ptr<TraceIndex> index_;
  std::string index_note_;
  std::mutex mutex_;
  std::atomic<int> waiting_ = 0;  // callers of With()
  std::atomic<bool> stops_ = false;
  std::atomic<bool> is_complete_ = false;
  std::atomic<uint32_t> progress_ = 0;
  std::string damage_;
  std::thread thread_;
};

}  // namespace view
