// SPDX-License-Identifier: BSD-2-Clause
#include "view/indexed_trace.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

#include "facts/read_loop.h"
#include "source/input.h"
#include "text/clean_text.h"
#include "view/index_file.h"
#include "view/trace_index.h"

namespace view {

// Records between two checks for waiting readers of the index.
constexpr uint64_t kStep = 32768;

util::Result<std::unique_ptr<IndexedTrace>> IndexedTrace::Open(const std::string& path,
                                                               const IndexLimits& limits,
                                                               bool keeps_index) {
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
  return std::unique_ptr<IndexedTrace>(
      new IndexedTrace(path, std::move(*source), limits, keeps_index));
}

IndexedTrace::IndexedTrace(std::string path, std::unique_ptr<fxt::ByteSource> source,
                           const IndexLimits& limits, bool keeps_index)
    : path_(std::move(path)),
      source_(std::move(source)),
      limits_(limits),
      keeps_index_(keeps_index),
      index_(std::make_unique<TraceIndex>(limits)) {
  thread_ = std::thread([this] { Run(); });
}

IndexedTrace::~IndexedTrace() {
  stops_ = true;
  Wait();
}

void IndexedTrace::Wait() {
  if (thread_.joinable()) thread_.join();
}

void IndexedTrace::Run() {
  std::unique_ptr<IndexFile> file;
  if (keeps_index_) {
    auto opened = IndexFile::Open(path_, limits_);
    if (opened) {
      file = std::move(*opened);
    } else {
      const std::lock_guard lock(mutex_);
      index_note_ = fmt::format("no index is kept: {}", opened.error().message);
    }
  }
  const bool is_saved = file && TakeSavedIndex(*file);
  const bool is_new = !is_saved && Read();
  progress_ = 1000;
  is_complete_ = true;
  if (file && is_new && !stops_) SaveIndex(*file);
}

bool IndexedTrace::TakeSavedIndex(const IndexFile& file) {
  auto loaded = file.Load();
  if (!loaded) return false;
  const auto show = [&] {
    const std::lock_guard lock(mutex_);
    std::swap(index_, loaded->index);
    progress_ = 999;
  };
  if (loaded->is_unchanged) show();
  const auto key = file.KeyOf([this] { return stops_.load(); });
  const bool is_same = key && *key == loaded->key;
  // Removes an index that is shown but wrong, and shows one that is right but not shown yet.
  if (loaded->is_unchanged != is_same) show();
  if (is_same) damage_ = loaded->damage;
  if (!is_same) progress_ = 0;
  return is_same || stops_;
}

void IndexedTrace::SaveIndex(const IndexFile& file) {
  std::unique_lock lock(mutex_);
  // Lets other threads read the index meanwhile.
  const auto between = [&] {
    lock.unlock();
    while (waiting_ != 0 && !stops_) std::this_thread::sleep_for(std::chrono::microseconds(50));
    lock.lock();
  };
  const auto saved = file.Save(*index_, damage_, between, [this] { return stops_.load(); });
  if (!saved) index_note_ = fmt::format("no index is kept: {}", saved.error().message);
}

bool IndexedTrace::Read() {
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
        status = facts::ReadSome(reader, *index_, kStep);
      }
      // A compressed source reports its position in the file, a mapped one only the released part.
      const uint64_t done = is_mapped ? reader.position() : source_->position();
      if (total != 0) progress_ = static_cast<uint32_t>(done * 1000 / total);
      // Waits for readers of the index, because the mutex is not fair.
      while (waiting_ != 0 && !stops_) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    const std::lock_guard lock(mutex_);
    index_->Finish();
    damage_ = reader.error_message();
    if (damage_.empty() && reader.truncated()) damage_ = "the file ends within a record";
  } catch (const std::exception& error) {
    damage_ = error.what();
    return false;
  }
  return true;
}

}  // namespace view
