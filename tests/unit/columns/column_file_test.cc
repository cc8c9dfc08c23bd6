// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "columns/column_layout.h"
#include "columns/column_writer.h"
#include "fxt/byte_source.h"
#include "unit/columns/columns_of.h"

namespace columns {
namespace {

using tables::Table;

using testing::kKey;

util::UniqueFd FileOf(std::span<const std::byte> bytes) {
  util::UniqueFd fd(memfd_create("columns", MFD_CLOEXEC));
  EXPECT_EQ(write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return fd;
}

// The columns of two threads that take turns.
std::vector<std::byte> Written() {
  measure::testing::TraceScript trace;
  trace.Name(7, "one").Name(8, "two").Session(90).Switch(100, 0, 0, "S", 7);
  for (uint64_t time = 110; time < 3000; time += 20) {
    trace.Switch(time, 0, 7, "S", 8).Wake(time + 5, 7, 8).Switch(time + 10, 0, 8, "R+", 7);
  }
  fxt::MemorySource source(trace.bytes());
  const util::UniqueFd fd(memfd_create("columns", MFD_CLOEXEC));
  const ColumnsOf what{
      .file = "trace", .key = kKey, .sets = testing::kAllSets, .before = nullptr, .cancelled = {}};
  EXPECT_TRUE(WriteColumns(what, source, fd.get()).ok());
  std::vector<std::byte> bytes(static_cast<size_t>(lseek(fd.get(), 0, SEEK_END)));
  EXPECT_EQ(pread(fd.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return bytes;
}

// Reads all blocks of a file.
size_t ReadAll(const ColumnFile& file) {
  size_t read = 0;
  for (const tables::TableInfo& info : tables::Tables()) {
    for (size_t block = 0; block < file.table(info.table).blocks(); ++block) {
      for (uint8_t column = 0; column < info.columns.size(); ++column) {
        ColumnValues values;
        read += file.Read(info.table, block, column, values) ? 1 : 0;
      }
    }
  }
  return read;
}

TEST(ColumnFileTest, HasTheRowsOfTheTrace) {
  const auto bytes = Written();
  auto file = ColumnFile::Open(FileOf(bytes), kKey);
  ASSERT_TRUE(file.ok());
  EXPECT_GT((*file)->table(Table::kSlices).rows, 200U);
  EXPECT_EQ((*file)->table(Table::kCaptures).rows, 1U);
  EXPECT_TRUE((*file)->Verify(Table::kSlices, ~uint64_t{0}));
  EXPECT_TRUE((*file)->faults().error.empty());
  ColumnValues values;
  ASSERT_TRUE((*file)->Read(Table::kSlices, 0, tables::slices::kThread, values));
  EXPECT_EQ(values.texts, (std::vector<std::string_view>{"one", "two"}));
}

TEST(ColumnFileTest, IsOfItsTraceAlone) {
  const auto bytes = Written();
  TraceKey other = kKey;
  other.hash.high ^= 1;
  EXPECT_FALSE(ColumnFile::Open(FileOf(bytes), other).ok());
  EXPECT_FALSE(ColumnFile::Open(FileOf({}), kKey).ok());
}

TEST(ColumnFileTest, ChangedBlocksAreNoticed) {
  auto bytes = Written();
  bytes[sizeof(Header) + 3] ^= std::byte{1};
  auto file = ColumnFile::Open(FileOf(bytes), kKey);
  ASSERT_TRUE(file.ok());
  bool is_damaged = false;
  for (const tables::TableInfo& info : tables::Tables()) {
    is_damaged |= !(*file)->Verify(info.table, ~uint64_t{0});
  }
  EXPECT_TRUE(is_damaged);
}

TEST(ColumnFileTest, HostileBytesWithRightHashesDoNoHarm) {
  const auto good = Written();
  std::mt19937_64 chance(9);
  size_t opened = 0;
  for (int round = 0; round < 3000; ++round) {
    auto bytes = good;
    Header header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    const size_t begin = round % 4 == 0 ? sizeof(header) : header.directory_offset;
    for (size_t changes = 1 + chance() % 3; changes > 0; --changes) {
      const size_t at = begin + chance() % (bytes.size() - begin);
      for (size_t i = at; i < std::min(bytes.size(), at + (chance() % 2 == 0 ? 1 : 8)); ++i) {
        bytes[i] = chance() % 3 == 0 ? std::byte{0xff} : static_cast<std::byte>(chance());
      }
    }
    if (round % 5 == 0) header.directory_bytes -= chance() % 100;
    header.directory_hash = util::ContentHash::Of(
        std::span(bytes).subspan(header.directory_offset, header.directory_bytes));
    header.header_hash = HashOf(header);
    std::memcpy(bytes.data(), &header, sizeof(header));
    auto file = ColumnFile::Open(FileOf(bytes), kKey);
    if (!file) continue;
    ++opened;
    ReadAll(**file);
  }
  EXPECT_GT(opened, 100U);
}

}  // namespace
}  // namespace columns
