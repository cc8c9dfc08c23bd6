// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "columns/column_layout.h"
#include "tables/scan.h"

namespace columns {
namespace {

// A file may have this much, and as many bytes for each of the trace.
constexpr uint64_t kMinRoom = uint64_t{256} << 20;
constexpr uint64_t kRoomPerByte = 8;
// A block ends at this many bytes of texts in one of its columns.
constexpr size_t kMaxTextBytes = size_t{4} << 20;
// Rows whose cells stay in the first-level cache while they are taken column by column.
constexpr size_t kTileRows = 32;
// Blocks of rows that wait to be written.
constexpr size_t kMaxWaiting = 2;

util::Status WriteAll(int fd, std::span<const std::byte> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return util::Error{
          fmt::format("cannot write it: {}", std::generic_category().message(errno)), ""};
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return util::Ok();
}

template <typename Value>
void Append(std::vector<std::byte>& bytes, const Value& value) {
  const auto added = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), added.begin(), added.end());
}

using Builders = std::vector<BlockBuilder>;

// Encodes and writes blocks, on a thread of its own.
class BlockWriter {
 public:
  explicit BlockWriter(int fd) : fd_(fd), thread_([this] { Run(); }) {}
  ~BlockWriter() { static_cast<void>(Stop()); }
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  // Writes the rows that were built, perhaps later. Returns builders without rows in exchange; none
  // if there are none yet.
  std::optional<Builders> Write(tables::Table table, Builders builders) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kMaxWaiting; });
    waiting_.push_back({table, std::move(builders)});
    changed_.notify_all();
    auto& unused = unused_[static_cast<size_t>(table)];
    if (unused.empty()) return std::nullopt;
    Builders taken = std::move(unused.back());
    unused.pop_back();
    return taken;
  }
  void SetRoom(uint64_t room) {
    const std::lock_guard lock(mutex_);
    room_ = std::max(room_, room);
  }
  bool has_failed() {
    const std::lock_guard lock(mutex_);
    return error_.has_value();
  }
  // Waits for all blocks.
  util::Status Stop() {
    if (thread_.joinable()) {
      {
        const std::lock_guard lock(mutex_);
        stops_ = true;
      }
      changed_.notify_all();
      thread_.join();
    }
    return error_ ? util::Status(*error_) : util::Ok();
  }
  // After Stop().
  const Directory& directory() const { return directory_; }
  uint64_t end() const { return end_; }

 private:
  struct Job {
    tables::Table table;
    Builders builders;
  };

  void Run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stops_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      Job job = std::move(waiting_.front());
      waiting_.pop_front();
      const uint64_t room = room_;
      const bool fails = error_.has_value();
      lock.unlock();
      changed_.notify_all();
      util::Status done = fails ? util::Ok() : WriteBlocks(job, room);
      lock.lock();
      if (!done) error_ = done.TakeError();
      unused_[static_cast<size_t>(job.table)].push_back(std::move(job.builders));
    }
  }

  util::Status WriteBlocks(Job& job, uint64_t room) {
    TableBlocks& table = directory_[static_cast<size_t>(job.table)];
    const auto rows = static_cast<uint32_t>(job.builders.front().rows());
    table.rows += rows;
    table.block_rows.push_back(rows);
    bytes_.clear();
    for (BlockBuilder& builder : job.builders) {
      table.entries.push_back(builder.Finish(bytes_, end_ + bytes_.size()));
    }
    if (end_ + bytes_.size() > room || bytes_.size() > kMaxRowBytes) {
      return util::Error{"its columns would be many times as large as the trace", ""};
    }
    auto written = WriteAll(fd_, bytes_, end_);
    end_ += bytes_.size();
    return written;
  }

  int fd_;
  // Of the thread, until it has ended.
  Directory directory_;
  std::vector<std::byte> bytes_;
  uint64_t end_ = sizeof(Header);

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::array<std::vector<Builders>, tables::kTables> unused_;
  std::optional<util::Error> error_;
  uint64_t room_ = kMinRoom;
  bool stops_ = false;
  std::thread thread_;
};

class TableWriter {
 public:
  TableWriter(const tables::TableInfo& info, BlockWriter& writer)
      : info_(info), writer_(writer), builders_(NewBuilders()) {
    for (size_t i = 0; i < info.columns.size(); ++i) {
      if (info.columns[i].type == tables::Type::kText && !info.columns[i].repeats) {
        own_texts_.push_back(i);
      }
    }
  }

  void Add(const tables::RowBatch& rows) {
    const size_t width = info_.columns.size();
    for (size_t from = 0; from < rows.size();) {
      const size_t count = TileRows(
          rows, from, std::min({kTileRows, rows.size() - from, kBlockRows - builders_.front().rows()}));
      bool is_full = false;
      for (size_t column = 0; column < width; ++column) {
        builders_[column].Add(rows.row(from) + column, width, count);
        is_full |= builders_[column].text_bytes() >= kMaxTextBytes;
      }
      from += count;
      if (is_full || builders_.front().rows() == kBlockRows) Flush();
    }
  }
  void Flush() {
    if (builders_.front().rows() == 0) return;
    auto next = writer_.Write(info_.table, std::move(builders_));
    builders_ = next ? std::move(*next) : NewBuilders();
  }

 private:
  // As many rows from `from` on, `most` at most, as have few bytes of texts.
  size_t TileRows(const tables::RowBatch& rows, size_t from, size_t most) const {
    size_t bytes = 0;
    for (size_t i = 0; i < most; ++i) {
      for (const size_t column : own_texts_) bytes += rows.row(from + i)[column].bytes;
      if (bytes > kMaxTextBytes) return i + 1;
    }
    return most;
  }

  Builders NewBuilders() const {
    Builders made;
    for (const tables::Column& column : info_.columns) made.emplace_back(column.repeats);
    return made;
  }

  const tables::TableInfo& info_;
  BlockWriter& writer_;
  Builders builders_;
  std::vector<size_t> own_texts_;  // columns whose texts do not repeat
};

std::vector<std::byte> DirectoryBytes(const Directory& directory,
                                      const tables::ScanFaults& faults) {
  std::vector<std::byte> bytes;
  Append(bytes, DirectoryHead{.malformed = faults.malformed,
                              .dropped_names = faults.dropped_names,
                              .cut_texts = faults.cut_texts,
                              .error_bytes = static_cast<uint32_t>(faults.error.size()),
                              .is_cut_short = faults.is_cut_short,
                              .is_incomplete = faults.is_incomplete});
  const auto text = std::as_bytes(std::span(faults.error));
  bytes.insert(bytes.end(), text.begin(), text.end());
  for (const TableBlocks& table : directory) {
    Append(bytes, uint64_t{table.blocks()});
    for (const uint32_t rows : table.block_rows) Append(bytes, rows);
    for (const BlockEntry& entry : table.entries) Append(bytes, entry);
  }
  return bytes;
}

}  // namespace

util::Status WriteColumns(const ColumnsOf& what, fxt::ByteSource& source, int fd) {
  fxt::TableBudget shared{.limit = tables::kMaxTableBytes};
  tables::TextPool texts(tables::TextPool::kMaxBytes, &shared);
  tables::Scan scan(what.file, source, texts, &shared);
  BlockWriter writer(fd);
  std::vector<std::unique_ptr<TableWriter>> of_table;
  for (const tables::TableInfo& info : tables::Tables()) {
    scan.Want(info.table, ~uint64_t{0});
    of_table.push_back(std::make_unique<TableWriter>(info, writer));
  }
  while (scan.Advance()) {
    if (what.cancelled && what.cancelled()) return util::Error{"interrupted", ""};
    for (const tables::TableInfo& info : tables::Tables()) {
      of_table[static_cast<size_t>(info.table)]->Add(*scan.rows(info.table));
    }
    writer.SetRoom(kMinRoom + kRoomPerByte * scan.reader().position());
    if (writer.has_failed()) break;
  }
  for (const auto& table : of_table) table->Flush();
  if (auto done = writer.Stop(); !done) return done;
  const std::vector<std::byte> directory = DirectoryBytes(writer.directory(), scan.faults());
  if (directory.size() > kMaxDirectoryBytes) {
    return util::Error{"its columns would be many times as large as the trace", ""};
  }
  Header header{.schema = SchemaHash(),
                .trace = what.key,
                .directory_offset = writer.end(),
                .directory_bytes = directory.size(),
                .directory_hash = util::ContentHash::Of(directory)};
  header.header_hash = HashOf(header);
  if (auto done = WriteAll(fd, directory, writer.end()); !done) return done;
  return WriteAll(fd, std::as_bytes(std::span(&header, 1)), 0);
}

}  // namespace columns
