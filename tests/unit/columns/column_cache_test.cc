// SPDX-License-Identifier: BSD-2-Clause
#include "columns/column_cache.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "columns/column_layout.h"
#include "support/temp_folder.h"
#include "unit/columns/columns_of.h"

namespace columns {
namespace {

using tables::Table;

constexpr uint64_t kThread = uint64_t{1} << tables::slices::kThread;

class ColumnCacheTest : public ::testing::Test {
 protected:
  ColumnCacheTest() {
    testing::MixedTrace trace;
    const auto bytes = trace.bytes();
    Store(path_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    fd_.reset(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  }

  static void Store(const std::string& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  static std::string Load(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static struct stat StatusOf(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0);
    return status;
  }
  ColumnCache Cache() {
    return ColumnCache(
        path_, fd_.get(),
        {.cancelled = {}, .on_note = [this](const std::string& text) { notes_.push_back(text); }});
  }
  // Slices by a new cache, as after a restart.
  uint64_t RowsOfSlices() {
    ColumnCache cache = Cache();
    const auto columns = cache.Columns(Table::kSlices, kThread);
    return columns ? (*columns)->table(Table::kSlices).rows : 0;
  }

  testing_support::TempFolder folder_;
  std::string path_ = folder_ / "trace.fxt";
  std::string kept_ = ColumnCache::PathOf(path_);
  util::UniqueFd fd_;
  std::vector<std::string> notes_;
};

TEST_F(ColumnCacheTest, IsMadeOnceForItsOwnerAlone) {
  const uint64_t rows = RowsOfSlices();
  EXPECT_GT(rows, 100U);
  const auto made = StatusOf(kept_);
  EXPECT_EQ(made.st_mode & 0777U, 0600U);
  EXPECT_EQ(RowsOfSlices(), rows);
  EXPECT_EQ(StatusOf(kept_).st_ino, made.st_ino);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(ColumnCacheTest, SetsComeWhenTheyAreAskedForAndStay) {
  ColumnCache cache = Cache();
  const auto base = cache.Columns(Table::kWaits, uint64_t{1} << tables::waits::kKind);
  ASSERT_TRUE(base.ok());
  EXPECT_EQ((*base)->sets(), BitOf(ColumnSet::kBase));
  const auto paths = cache.Columns(Table::kPath, 0);
  ASSERT_TRUE(paths.ok());
  EXPECT_EQ((*paths)->sets(), BitOf(ColumnSet::kBase) | BitOf(ColumnSet::kPaths));
  EXPECT_EQ(testing::RowsOfFile(**paths, Table::kSlices),
            testing::RowsOfFile(**base, Table::kSlices));
  ColumnCache again = Cache();
  const auto kept = again.Columns(Table::kSlices, kThread);
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ((*kept)->sets(), (*paths)->sets());
}

TEST_F(ColumnCacheTest, DamagedFilesAreMadeAnew) {
  const uint64_t rows = RowsOfSlices();
  const std::string good = Load(kept_);
  std::vector<std::string> damaged = {"", good.substr(0, 50), good.substr(0, good.size() / 2),
                                      good.substr(0, good.size() - 1),
                                      std::string(good.size(), '\0')};
  for (const size_t at : {size_t{1}, size_t{9}, size_t{20}, good.size() - 5}) {
    damaged.push_back(good);
    damaged.back()[at] ^= 0x40;
  }
  // A file of another version with valid hashes.
  Header header;
  std::memcpy(&header, good.data(), sizeof(header));
  ++header.schema;
  header.header_hash = HashOf(header);
  damaged.push_back(good);
  std::memcpy(damaged.back().data(), &header, sizeof(header));
  for (const std::string& bytes : damaged) {
    Store(kept_, bytes);
    EXPECT_EQ(RowsOfSlices(), rows);
    EXPECT_EQ(Load(kept_).size(), good.size());
  }
  // Each bit of the blocks counts, too.
  for (size_t at = sizeof(Header); at < header.directory_offset; at += 97) {
    std::string bytes = good;
    bytes[at] ^= 1;
    Store(kept_, bytes);
    ColumnCache cache = Cache();
    const auto columns =
        cache.Columns(Table::kWaits, ColumnsIn(BitOf(ColumnSet::kBase), Table::kWaits));
    ASSERT_TRUE(columns.ok());
    ASSERT_TRUE(cache.Columns(Table::kSlices, tables::kAllColumns).ok());
  }
  EXPECT_TRUE(notes_.empty());
}

TEST_F(ColumnCacheTest, OfAnotherTraceIsReplaced) {
  RowsOfSlices();
  testing::MixedTrace other(20'000);
  Store(path_, {reinterpret_cast<const char*>(other.bytes().data()), other.bytes().size()});
  EXPECT_EQ(RowsOfSlices(), testing::RowsOfScan(other.bytes(), Table::kSlices).size());
}

TEST_F(ColumnCacheTest, LinksAndFilesOfOthersAreNotTaken) {
  const std::string target = folder_ / "target";
  Store(target, "precious");
  std::filesystem::create_symlink(target, kept_);
  EXPECT_GT(RowsOfSlices(), 100U);
  EXPECT_EQ(Load(target), "precious");
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_NE(notes_[0].find("no cache beside the trace"), std::string::npos);
  std::filesystem::remove(kept_);
  RowsOfSlices();
  if (geteuid() != 0) GTEST_SKIP() << "needs root: a file of another user";
  ASSERT_EQ(chown(kept_.c_str(), 65534, 65534), 0);
  EXPECT_GT(RowsOfSlices(), 100U);
  EXPECT_EQ(notes_.size(), 2U);
  EXPECT_EQ(StatusOf(kept_).st_uid, 65534U);
}

}  // namespace
}  // namespace columns
