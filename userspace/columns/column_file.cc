// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "columns/column_layout.h"

namespace columns {
namespace {

// Increase it when the meaning of rows changes within one version of the program.
constexpr uint64_t kFormat = 2;
constexpr size_t kReadBytes = size_t{1} << 20;

bool ReadAll(int fd, std::span<std::byte> into, uint64_t offset) {
  while (!into.empty()) {
    const ssize_t got = pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<size_t>(got));
    offset += static_cast<size_t>(got);
  }
  return true;
}

// Takes a struct from the begin of `bytes`.
template <typename Value>
bool TakeFrom(std::span<const std::byte>& bytes, Value& value) {
  if (bytes.size() < sizeof(value)) return false;
  std::memcpy(&value, bytes.data(), sizeof(value));
  bytes = bytes.subspan(sizeof(value));
  return true;
}

util::Error Damaged() { return {"its directory is damaged", ""}; }

}  // namespace

util::Result<TraceKey> KeyOf(int fd, const std::function<bool()>& cancelled) {
  TraceKey key;
  util::ContentHash hash;
  std::vector<std::byte> buffer(kReadBytes);
  for (;;) {
    if (cancelled && cancelled()) return util::Error{"cancelled", ""};
    const ssize_t got = pread(fd, buffer.data(), buffer.size(), static_cast<off_t>(key.bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return util::Error{fmt::format("cannot read it: {}", std::generic_category().message(errno)),
                         ""};
    }
    if (got == 0) break;
    hash.Add(std::span(buffer).first(static_cast<size_t>(got)));
    key.bytes += static_cast<uint64_t>(got);
  }
  key.hash = hash.Finish();
  return key;
}

util::Status WriteAll(int fd, std::span<const std::byte> bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return util::Error{fmt::format("cannot write it: {}", std::generic_category().message(errno)),
                         ""};
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return util::Ok();
}

size_t EntriesOf(tables::Table table) {
  return InfoOf(table).columns.size() + GroupsOf(table).size();
}

std::optional<size_t> GroupEntryOf(tables::Table table, uint8_t column) {
  size_t place = InfoOf(table).columns.size();
  for (const tables::ColumnGroup& group : GroupsOf(table)) {
    for (const auto& member : group.members) {
      if (member.column == column) return place;
    }
    ++place;
  }
  return std::nullopt;
}

uint64_t SchemaHash() {
  std::string text = fmt::format("{} {} {}", FXT_RECORD_VERSION, kFormat, kBlockRows);
  for (const tables::TableInfo& info : tables::Tables()) {
    text += fmt::format("\n{}", info.name);
    for (const tables::Column& column : info.columns) {
      text += fmt::format(" {}:{}{}", column.name, static_cast<int>(column.type), column.repeats);
    }
  }
  return util::ContentHash::Of(std::as_bytes(std::span(text)));
}

uint64_t HashOf(const Header& header) {
  return util::ContentHash::Of(
      std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_hash)));
}

util::Result<std::unique_ptr<ColumnFile>> ColumnFile::Open(util::UniqueFd fd, const TraceKey& key) {
  struct stat status = {};
  Header header;
  if (fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !ReadAll(fd.get(), std::as_writable_bytes(std::span(&header, 1)), 0)) {
    return util::Error{"it has no header", ""};
  }
  if (header.magic != kMagic || header.header_hash != HashOf(header)) {
    return util::Error{"not a column file", ""};
  }
  if (header.schema != SchemaHash()) return util::Error{"another version of fxt made it", ""};
  if (header.trace != key) return util::Error{"it is of another trace", ""};
  const auto file_bytes = static_cast<uint64_t>(status.st_size);
  if (header.directory_bytes > kMaxDirectoryBytes || header.directory_offset > file_bytes ||
      header.directory_bytes > file_bytes - header.directory_offset) {
    return Damaged();
  }
  std::vector<std::byte> directory(header.directory_bytes);
  if (!ReadAll(fd.get(), directory, header.directory_offset) ||
      util::ContentHash::Of(directory) != header.directory_hash) {
    return Damaged();
  }
  std::unique_ptr<ColumnFile> file(new ColumnFile(std::move(fd)));
  file->blocks_end_ = header.directory_offset;
  file->trace_bytes_ = key.bytes;
  if (auto read = file->ReadDirectory(directory, file_bytes); !read) return read.TakeError();
  return file;
}

util::Status ColumnFile::ReadDirectory(std::span<const std::byte> bytes, uint64_t file_bytes) {
  DirectoryHead head;
  if (!TakeFrom(bytes, head) || head.error_bytes > bytes.size()) return Damaged();
  faults_ = {.error = std::string(reinterpret_cast<const char*>(bytes.data()), head.error_bytes),
             .is_cut_short = head.is_cut_short != 0,
             .is_incomplete = head.is_incomplete != 0,
             .malformed = head.malformed,
             .dropped_names = head.dropped_names,
             .cut_texts = head.cut_texts,
             .paths_left_out = head.paths_left_out};
  sets_ = head.sets;
  bytes = bytes.subspan(head.error_bytes);
  for (const tables::TableInfo& info : tables::Tables()) {
    TableBlocks& table = directory_[static_cast<size_t>(info.table)];
    const size_t columns = EntriesOf(info.table);
    uint64_t blocks = 0;
    if (!TakeFrom(bytes, blocks)) return Damaged();
    if (blocks > bytes.size() / (sizeof(uint32_t) + columns * sizeof(BlockEntry))) return Damaged();
    table.block_rows.resize(blocks);
    table.entries.resize(blocks * columns);
    for (uint32_t& rows : table.block_rows) {
      if (!TakeFrom(bytes, rows) || rows == 0 || rows > kBlockRows) return Damaged();
      table.rows += rows;
    }
    uint64_t of_rows = 0;
    for (size_t i = 0; i < table.entries.size(); ++i) {
      BlockEntry& entry = table.entries[i];
      if (!TakeFrom(bytes, entry) || entry.offset > file_bytes ||
          entry.bytes > file_bytes - entry.offset) {
        return Damaged();
      }
      of_rows = entry.bytes + (i % columns == 0 ? 0 : of_rows);
      if (of_rows > kMaxRowBytes) return Damaged();
    }
  }
  return bytes.empty() ? util::Ok() : util::Status(Damaged());
}

const BlockEntry& ColumnFile::entry(tables::Table of, size_t block, uint8_t column) const {
  return EntryAt(of, block, column);
}

util::Result<uint64_t> ColumnFile::CopyBlocks(int fd) const {
  std::vector<std::byte> buffer(kReadBytes);
  for (uint64_t at = sizeof(Header); at < blocks_end_;) {
    const auto some = std::span(buffer).first(std::min<uint64_t>(buffer.size(), blocks_end_ - at));
    if (!ReadAll(fd_.get(), some, at)) return Damaged();
    if (auto done = WriteAll(fd, some, at); !done) return done.TakeError();
    at += some.size();
  }
  return std::max<uint64_t>(blocks_end_, sizeof(Header));
}

bool ColumnFile::Load(const BlockEntry& entry, std::vector<std::byte>& bytes) const {
  bytes.resize(entry.bytes);
  return ReadAll(fd_.get(), bytes, entry.offset);
}

bool ColumnFile::Read(tables::Table of, size_t block, uint8_t column, ColumnValues& values) const {
  const BlockEntry& where = entry(of, block, column);
  const size_t rows = table(of).block_rows[block];
  if (!Load(where, values.bytes)) return false;
  const auto group = GroupEntryOf(of, column);
  if (!group) return Decode(where, rows, values);
  const BlockEntry& numbers = EntryAt(of, block, *group);
  if (numbers.high < 0 || static_cast<uint64_t>(numbers.high) >= rows) return false;
  return Decode(where, static_cast<size_t>(numbers.high) + 1, values) &&
         Load(numbers, values.number_bytes) && Spread(numbers, values.number_bytes, rows, values);
}

bool ColumnFile::Verify(tables::Table of, uint64_t columns) {
  uint64_t& verified = verified_[static_cast<size_t>(of)];
  std::vector<std::byte> bytes;
  uint64_t places = 0;
  for (uint8_t column = 0; column < InfoOf(of).columns.size(); ++column) {
    if ((columns >> column & 1) == 0) continue;
    places |= uint64_t{1} << column;
    if (const auto group = GroupEntryOf(of, column)) places |= uint64_t{1} << *group;
  }
  for (size_t place = 0; place < EntriesOf(of); ++place) {
    if (((places & ~verified) >> place & 1) == 0) continue;
    for (size_t block = 0; block < table(of).blocks(); ++block) {
      const BlockEntry& where = EntryAt(of, block, place);
      if (where.encoding == Encoding::kNull) continue;
      if (!Load(where, bytes) || util::ContentHash::Of(bytes) != where.hash) return false;
    }
    verified |= uint64_t{1} << place;
  }
  return true;
}

}  // namespace columns
