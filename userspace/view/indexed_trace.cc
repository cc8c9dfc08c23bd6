// SPDX-License-Identifier: BSD-2-Clause
#include "view/indexed_trace.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

#include "facts/read_loop.h"
#include "source/input.h"
#include "text/clean_text.h"

namespace view {

// Records between looks at whether the index is asked for.
constexpr uint64_t kStep = 32768;

util::Result<std::unique_ptr<IndexedTrace>> IndexedTrace::Open(const std::string& path,
                                                               const IndexLimits& limits) {
  {
    auto source = source::OpenInput(path);
    if (!source) return source.TakeError();
    fxt::Reader reader(**source);
    if (facts::NextRecord(reader) != fxt::ReadStatus::kRecord) {
      const std::string why = reader.error_message();
      return util::Error{fmt::format("{}: {}", text::CleanText(path), why.empty() ? "empty" : why),
                         ""};
    }
  }
  auto source = source::OpenInput(path);
  if (!source) return source.TakeError();
  return std::unique_ptr<IndexedTrace>(new IndexedTrace(path, std::move(*source), limits));
}

IndexedTrace::IndexedTrace(std::string path, std::unique_ptr<fxt::ByteSource> source,
                           const IndexLimits& limits)
    : path_(std::move(path)), source_(std::move(source)), index_(limits) {
  thread_ = std::thread([this] { Read(); });
}

IndexedTrace::~IndexedTrace() {
  stops_ = true;
  Wait();
}

void IndexedTrace::Wait() {
  if (thread_.joinable()) thread_.join();
}

void IndexedTrace::Read() {
  fxt::ReaderOptions options;
  options.shared_tables = &reader_tables_;
  options.max_diagnostics = 1;
  fxt::Reader reader(*source_, options);
  const uint64_t total = source_->total();
  const bool is_mapped = source_->Contents().has_value();
  try {
    fxt::ReadStatus status = fxt::ReadStatus::kRecord;
    while (status == fxt::ReadStatus::kRecord && !stops_) {
      {
        const std::lock_guard lock(mutex_);
        status = facts::ReadSome(reader, index_, kStep);
      }
      // A compressed source knows its position in the file, a mapped one only what it released.
      const uint64_t done = is_mapped ? reader.position() : source_->position();
      if (total != 0) progress_ = static_cast<uint32_t>(done * 1000 / total);
      // The mutex is not fair.
      while (waiting_ != 0 && !stops_) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    const std::lock_guard lock(mutex_);
    index_.Finish();
    damage_ = reader.error_message();
    if (damage_.empty() && reader.truncated()) damage_ = "the file ends within a record";
  } catch (const std::exception& error) {
    damage_ = error.what();
  }
  progress_ = 1000;
  is_complete_ = true;
}

}  // namespace view
