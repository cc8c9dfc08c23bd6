// SPDX-License-Identifier: BSD-2-Clause
// A trace with its index, which is built while the trace is read or loaded from a file beside it.
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
  // Starts reading. `keeps_index`: uses the index beside the file if it belongs to it, and writes
  // one otherwise. Errors: the file cannot be opened, or it does not begin like a trace.
  static util::Result<std::unique_ptr<IndexedTrace>> Open(const std::string& path,
                                                          const IndexLimits& limits = {},
                                                          bool keeps_index = false);
  // Stops reading.
  ~IndexedTrace();
  IndexedTrace(const IndexedTrace&) = delete;
  IndexedTrace& operator=(const IndexedTrace&) = delete;

  const std::string& path() const { return path_; }
  // Calls `use(TraceIndex&)` with exclusive access.
  template <typename Use>
  auto With(Use&& use) {
    ++waiting_;
    const std::lock_guard lock(mutex_);
    --waiting_;
    return use(*index_);
  }
  bool is_complete() const { return is_complete_; }
  // The part of the file that has been read, in thousandths.
  uint32_t progress() const { return progress_; }
  // The error that ended the reading early. Empty until reading has ended.
  std::string damage() const { return is_complete_ ? damage_ : ""; }
  // Why no index could be kept beside the file; empty: no problem.
  std::string index_note() {
    return With([this](TraceIndex&) { return index_note_; });
  }
  // Blocks until the whole file is read.
  void Wait();

 private:
  IndexedTrace(std::string path, std::unique_ptr<fxt::ByteSource> source, const IndexLimits& limits,
               bool keeps_index);
  void Run();
  // Loads the index beside the file. Shows it at once, and then checks that it matches the content.
  bool TakeSavedIndex(const IndexFile& file);
  // False: reading failed before the index was finished.
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
