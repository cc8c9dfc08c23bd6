// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
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

// Limit of a file: this many bytes, and this many times the bytes of the trace.
constexpr uint64_t kMinRoom = uint64_t{256} << 20;
constexpr uint64_t kRoomPerByte = 8;
// A block ends at this many bytes of texts in one of its columns.
constexpr size_t kMaxTextBytes = size_t{4} << 20;
// Number of rows whose cells fit the first-level cache while they are read column by column.
constexpr size_t kTileRows = 32;
// Blocks of rows that wait to be written.
constexpr size_t kMaxWaiting = 2;

template <typename Value>
void Append(std::vector<std::byte>& bytes, const Value& value) {
  const auto added = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), added.begin(), added.end());
}

// The builders of a block: of all columns, and then of the groups of columns (ColumnFile).
struct BlockRows {
  size_t rows = 0;
  // The column `dur` is the same as `length`, and has no rows of its own.
  bool has_whole_durations = true;
  uint64_t places = 0;  // bits of those that are to be written
  std::vector<BlockBuilder> builders;
};

// Lengths of rows, for tables where `dur` is NULL if an edge of the trace cuts the row.
struct Lengths {
  uint8_t duration = 0;
  uint8_t length = 0;
  uint8_t terms = 0;  // the group
};
std::optional<Lengths> LengthsOf(tables::Table table) {
  switch (table) {
    case tables::Table::kSlices:
      return Lengths{tables::slices::kDur, tables::slices::kLength, tables::slices::kTerms};
    case tables::Table::kIdle:
      return Lengths{tables::idle::kDur, tables::idle::kLength, tables::idle::kTerms};
    case tables::Table::kWaits:
      return Lengths{tables::waits::kDur, tables::waits::kLength, tables::waits::kTerms};
    default:
      return std::nullopt;
  }
}

// Renumbers the numbers of a group in each block.
class BlockNumbers {
 public:
  // From 0 on; `is_new` if it is the first of its kind. A group uses this or NumberOfSmall().
  uint32_t NumberOf(uint64_t value, bool& is_new) {
    Slot& slot = Find(value);
    is_new = slot.number == 0;
    if (!is_new) [[likely]] {
      return slot.number - 1;
    }
    is_used_ = true;
    slot = {value, ++count_};
    if (2 * count_ >= slots_.size()) Grow();
    return count_ - 1;
  }
  // The same for small values, such as the numbers of threads.
  uint32_t NumberOfSmall(uint64_t value, bool& is_new) {
    if (value >= small_.size()) [[unlikely]] {
      small_.resize(std::bit_ceil(value + 1));
    }
    SmallSlot& slot = small_[value];
    is_new = slot.block != block_;
    if (is_new) [[unlikely]] {
      slot = {block_, count_++};
    }
    return slot.number;
  }
  // For a value that occurs in one row only.
  uint32_t NewNumber() { return count_++; }
  void Clear() {
    if (is_used_) std::fill(slots_.begin(), slots_.end(), Slot{});
    is_used_ = false;
    count_ = 0;
    ++block_;
  }

 private:
  struct Slot {
    uint64_t value = 0;
    uint32_t number = 0;  // from 1 on; 0: free
  };
  struct SmallSlot {
    uint32_t block = 0;  // in which the number was given
    uint32_t number = 0;
  };
  Slot& Find(uint64_t value) {
    size_t at = value * 0x9e3779b97f4a7c15 >> shift_;
    while (slots_[at].number != 0 && slots_[at].value != value) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  void Grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    --shift_;
    for (const Slot& slot : old) {
      if (slot.number != 0) Find(slot.value) = slot;
    }
  }

  static constexpr unsigned kFirstBits = 6;

  std::vector<SmallSlot> small_;                                          // by value
  std::vector<Slot> slots_ = std::vector<Slot>(size_t{1} << kFirstBits);  // open addressing
  unsigned shift_ = 64 - kFirstBits;
  bool is_used_ = false;  // a slot
  uint32_t block_ = 1;
  uint32_t count_ = 0;
};

// Encodes and writes blocks on its own thread.
class BlockWriter {
 public:
  // `end`: the position behind the blocks that the file has.
  BlockWriter(int fd, uint64_t end, Directory before)
      : fd_(fd), directory_(std::move(before)), end_(end), thread_([this] { Run(); }) {}
  ~BlockWriter() { static_cast<void>(Stop()); }
  BlockWriter(const BlockWriter&) = delete;
  BlockWriter& operator=(const BlockWriter&) = delete;

  // Takes the built rows and writes them, possibly later. Returns builders without rows in
  // exchange; none if there are none yet.
  std::optional<BlockRows> Write(tables::Table table, BlockRows block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kMaxWaiting; });
    waiting_.push_back({table, std::move(block)});
    changed_.notify_all();
    auto& unused = unused_[static_cast<size_t>(table)];
    if (unused.empty()) return std::nullopt;
    BlockRows taken = std::move(unused.back());
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
    BlockRows block;
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
      unused_[static_cast<size_t>(job.table)].push_back(std::move(job.block));
    }
  }

  util::Status WriteBlocks(Job& job, uint64_t room) {
    TableBlocks& table = directory_[static_cast<size_t>(job.table)];
    const size_t block = next_[static_cast<size_t>(job.table)]++;
    const size_t width = EntriesOf(job.table);
    if (block == table.blocks()) {
      table.rows += job.block.rows;
      table.block_rows.push_back(static_cast<uint32_t>(job.block.rows));
      table.entries.resize(table.entries.size() + width);
    } else if (table.block_rows[block] != job.block.rows) {
      return util::Error{"its rows are not those that were made before", ""};
    }
    bytes_.clear();
    BlockEntry* const entries = table.entries.data() + block * width;
    for (size_t place = 0; place < width; ++place) {
      const BlockEntry entry = job.block.builders[place].Finish(bytes_, end_ + bytes_.size());
      if ((job.block.places >> place & 1) != 0) entries[place] = entry;
    }
    const auto same = LengthsOf(job.table);
    if (same && job.block.has_whole_durations && (job.block.places >> same->duration & 1) != 0) {
      entries[same->duration] = entries[same->length];
    }
    job.block.rows = 0;
    if (end_ + bytes_.size() > room || bytes_.size() > kMaxRowBytes) {
      return util::Error{"its columns would be many times as large as the trace", ""};
    }
    auto written = WriteAll(fd_, bytes_, end_);
    end_ += bytes_.size();
    return written;
  }

  int fd_;
  // Written by the thread until it has ended.
  Directory directory_;
  std::vector<std::byte> bytes_;
  uint64_t end_;
  std::array<size_t, tables::kTables> next_{};  // the block of each table that comes next

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::array<std::vector<BlockRows>, tables::kTables> unused_;
  std::optional<util::Error> error_;
  uint64_t room_ = kMinRoom;
  bool stops_ = false;
  std::thread thread_;
};

class TableWriter {
 public:
  // `columns` are written. `like`: the existing blocks, which have other columns.
  TableWriter(const tables::TableInfo& info, uint64_t columns, const TableBlocks* like,
              BlockWriter& writer)
      : info_(info),
        writer_(writer),
        lengths_(LengthsOf(info.table)),
        numbers_(GroupsOf(info.table).size()) {
    for (uint8_t column = 0; column < info.columns.size(); ++column) {
      if ((columns >> column & 1) == 0) continue;
      places_ |= uint64_t{1} << column;
      const auto group = GroupEntryOf(info.table, column);
      if (group) {
        places_ |= uint64_t{1} << *group;
        scanned_ |= uint64_t{1} << (tables::kFirstGroup + *group - info.columns.size());
        continue;
      }
      if (lengths_ && column == lengths_->duration) continue;
      scanned_ |= uint64_t{1} << column;
      if (info.columns[column].type == tables::Type::kText && !info.columns[column].repeats) {
        own_texts_.push_back(column);
      }
    }
    if (like != nullptr) block_rows_ = like->block_rows;
    // The order of rows is that of the scan of the existing blocks.
    if (info.table == tables::Table::kWaits) {
      scanned_ |= uint64_t{1} << tables::waits::kStack | uint64_t{1} << tables::waits::kDetails;
    }
    block_ = NewBlock();
  }

  // The columns that a scan produces, and the groups that replace others.
  uint64_t scanned() const { return scanned_; }

  void Add(const tables::RowBatch& rows, const tables::TaskCells& tasks) {
    const size_t width = rows.columns().size();
    for (size_t from = 0; from < rows.size();) {
      const size_t count =
          TileRows(rows, from, std::min({kTileRows, rows.size() - from, MostRows() - block_.rows}));
      bool is_full = false;
      for (size_t slot = 0; slot < width; ++slot) {
        const uint8_t column = rows.columns()[slot];
        const tables::Cell* const cells = rows.row(from) + slot;
        if (column >= tables::kFirstGroup) {
          is_full |= AddGroup(column - tables::kFirstGroup, rows, cells, count, tasks);
        } else {
          block_.builders[column].Add(cells, width, count);
          is_full |= block_.builders[column].text_bytes() >= kMaxTextBytes;
        }
      }
      block_.rows += count;
      from += count;
      if ((is_full && block_rows_.empty()) || block_.rows == MostRows()) Flush();
    }
  }
  void Flush() {
    if (block_.rows == 0) return;
    block_.has_whole_durations = cuts_.empty();
    ++next_;
    if (lengths_ && !cuts_.empty()) {
      BlockBuilder& durations = block_.builders[lengths_->duration];
      durations = block_.builders[lengths_->length];
      for (const size_t row : cuts_) durations.SetNull(row);
    }
    cuts_.clear();
    has_cut_terms_ = false;
    for (BlockNumbers& numbers : numbers_) numbers.Clear();
    auto next = writer_.Write(info_.table, std::move(block_));
    block_ = next ? std::move(*next) : NewBlock();
  }

 private:
  size_t MostRows() const { return next_ < block_rows_.size() ? block_rows_[next_] : kBlockRows; }

  // The cells of a group in some rows. True if the block is to end.
  bool AddGroup(size_t number, const tables::RowBatch& rows, const tables::Cell* cells,
                size_t count, const tables::TaskCells& tasks) {
    using Of = tables::ColumnGroup::Of;
    const tables::ColumnGroup& group = GroupsOf(info_.table)[number];
    BlockBuilder& to = block_.builders[info_.columns.size() + number];
    BlockNumbers& numbers = numbers_[number];
    const size_t stride = rows.columns().size();
    int64_t* const made = to.AddIntegers(count);
    bool is_full = false;
    const auto add = [&](auto&& number_of) {
      for (size_t i = 0; i < count; ++i) {
        const auto value = static_cast<uint64_t>(cells[i * stride].integer);
        bool is_new = false;
        made[i] = number_of(value, is_new);
        if (is_new) [[unlikely]] {
          is_full |= AddMembers(group, value, rows, tasks);
        }
      }
    };
    if (group.of == Of::kTask) {
      add([&](uint64_t value, bool& is_new) { return numbers.NumberOfSmall(value, is_new); });
    } else if (group.of == Of::kTerms) {
      add([&](uint64_t value, bool& is_new) { return numbers.NumberOf(value, is_new); });
      if (has_cut_terms_) [[unlikely]] {
        NoteCuts(cells, stride, count);
      }
    } else {
      add([&](uint64_t value, bool& is_new) {
        if (value == 0) return numbers.NumberOfSmall(value, is_new);
        is_new = true;
        return numbers.NewNumber();
      });
    }
    return is_full;
  }
  void NoteCuts(const tables::Cell* cells, size_t stride, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const auto terms = static_cast<uint64_t>(cells[i * stride].integer);
      if (tables::FactRows::IsCut(terms)) cuts_.push_back(block_.rows + i);
    }
  }
  bool AddMembers(const tables::ColumnGroup& group, uint64_t value, const tables::RowBatch& rows,
                  const tables::TaskCells& tasks) {
    bool is_full = false;
    if (group.of == tables::ColumnGroup::Of::kTerms) {
      has_cut_terms_ |= lengths_ && tables::FactRows::IsCut(value);
    }
    for (const auto& member : group.members) {
      tables::Cell cell;
      if (group.of == tables::ColumnGroup::Of::kTask) {
        cell = tasks.cells(value)[member.cell];
      } else if (group.of == tables::ColumnGroup::Of::kTerms) {
        tables::FactRows::PutTerm(info_.table, member.column, value, cell);
      } else if (value != 0) {
        cell = rows.detail(value)[member.cell];
      }
      BlockBuilder& builder = block_.builders[member.column];
      builder.Add(&cell, 1, 1);
      is_full |= builder.text_bytes() >= kMaxTextBytes;
    }
    return is_full;
  }

  // The number of rows from `from` on, at most `most`, whose texts fit a block.
  size_t TileRows(const tables::RowBatch& rows, size_t from, size_t most) const {
    size_t bytes = 0;
    for (size_t i = 0; i < most; ++i) {
      for (const size_t column : own_texts_) {
        bytes += rows.row(from + i)[rows.SlotOf(static_cast<uint8_t>(column))].bytes;
      }
      if (bytes > kMaxTextBytes) return i + 1;
    }
    return most;
  }

  BlockRows NewBlock() const {
    BlockRows made;
    made.places = places_;
    for (const tables::Column& column : info_.columns) made.builders.emplace_back(column.repeats);
    for (size_t i = 0; i < GroupsOf(info_.table).size(); ++i) made.builders.emplace_back(false);
    return made;
  }

  const tables::TableInfo& info_;
  BlockWriter& writer_;
  std::optional<Lengths> lengths_;
  uint64_t places_ = 0;               // of entries that are written
  uint64_t scanned_ = 0;              // columns and groups
  std::vector<uint32_t> block_rows_;  // of the existing blocks; empty: none
  size_t next_ = 0;                   // the block that is being made
  BlockRows block_;
  std::vector<BlockNumbers> numbers_;  // of each group
  std::vector<size_t> cuts_;           // rows of the block that an edge cuts
  bool has_cut_terms_ = false;         // there may be some
  std::vector<size_t> own_texts_;      // columns of the scan whose texts do not repeat
};

std::vector<std::byte> DirectoryBytes(const Directory& directory, const tables::ScanFaults& faults,
                                      unsigned sets) {
  std::vector<std::byte> bytes;
  Append(bytes, DirectoryHead{.malformed = faults.malformed,
                              .dropped_names = faults.dropped_names,
                              .cut_texts = faults.cut_texts,
                              .paths_left_out = faults.paths_left_out,
                              .error_bytes = static_cast<uint32_t>(faults.error.size()),
                              .is_cut_short = faults.is_cut_short,
                              .is_incomplete = faults.is_incomplete,
                              .sets = static_cast<uint16_t>(sets)});
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
  uint64_t end = sizeof(Header);
  Directory before;
  if (what.before != nullptr) {
    auto copied = what.before->CopyBlocks(fd);
    if (!copied) return copied.TakeError();
    end = *copied;
    for (const tables::TableInfo& info : tables::Tables()) {
      before[static_cast<size_t>(info.table)] = what.before->table(info.table);
    }
  }
  fxt::TableBudget shared{.limit = tables::kMaxTableBytes};
  tables::TextPool texts(tables::TextPool::kMaxBytes, &shared);
  tables::Scan scan(what.file, source, texts, &shared);
  std::array<std::unique_ptr<TableWriter>, tables::kTables> writers;
  BlockWriter writer(fd, end, before);
  for (const tables::TableInfo& info : tables::Tables()) {
    const uint64_t columns = ColumnsIn(what.sets, info.table);
    if (columns == 0) continue;
    const TableBlocks& blocks = before[static_cast<size_t>(info.table)];
    auto& made = writers[static_cast<size_t>(info.table)];
    made =
        std::make_unique<TableWriter>(info, columns, blocks.rows == 0 ? nullptr : &blocks, writer);
    scan.Want(info.table, made->scanned());
  }
  while (scan.Advance()) {
    if (what.cancelled && what.cancelled()) return util::Error{"interrupted", ""};
    for (const tables::TableInfo& info : tables::Tables()) {
      const auto& made = writers[static_cast<size_t>(info.table)];
      if (made) made->Add(*scan.rows(info.table), scan.tasks());
    }
    if (scan.tasks().is_full()) return util::Error{"its threads change their names too often", ""};
    writer.SetRoom(kMinRoom + std::max(end, kRoomPerByte * scan.reader().position()));
    if (writer.has_failed()) break;
  }
  for (const auto& made : writers) {
    if (made) made->Flush();
  }
  if (auto done = writer.Stop(); !done) return done;
  tables::ScanFaults faults = scan.faults();
  if (what.before != nullptr) faults.Join(what.before->faults());
  const unsigned sets = what.sets | (what.before == nullptr ? 0 : what.before->sets());
  const std::vector<std::byte> directory = DirectoryBytes(writer.directory(), faults, sets);
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
