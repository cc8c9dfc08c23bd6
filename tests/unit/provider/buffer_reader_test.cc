// SPDX-License-Identifier: BSD-2-Clause
#include "provider/buffer_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "unit/provider/fake_provider.h"

namespace provider {
namespace {

using testing::FakeProvider;

class BufferReaderTest : public ::testing::Test {
 protected:
  void SetUp() override { Make({.bytes = 1 << 18, .categories = {}}); }

  void Make(const BufferOptions& options) {
    auto buffer = SharedBuffer::Make(options);
    ASSERT_TRUE(buffer);
    provider_.emplace(*buffer);
    reader_.emplace(std::make_shared<Identity>(Identity{5, 100, "app"}), std::move(*buffer));
    category_ = provider_->Add("category", true);
    name_ = provider_->Add("name");
  }
  std::unique_ptr<RecordBatch> Read(uint64_t since = 0, uint64_t until = UINT64_MAX) {
    reader_->ReadNew();
    return reader_->Take(pairs_, 0, since, until);
  }
  static std::vector<uint64_t> Times(const RecordBatch& batch) {
    std::vector<uint64_t> times;
    for (const RecordEntry& entry : batch.entries) times.push_back(entry.time);
    return times;
  }
  using Times_ = std::vector<uint64_t>;

  std::optional<FakeProvider> provider_;
  std::optional<BufferReader> reader_;
  ClockPairs pairs_;
  uint16_t category_ = 0;
  uint16_t name_ = 0;
};

TEST_F(BufferReaderTest, ReadsCommittedRecordsOnce) {
  provider_->Take(0, 1, 100);
  provider_->Event(0, 10, category_, name_);
  provider_->Event(0, 20, category_, name_, 0, false);
  EXPECT_EQ(Times(*Read()), Times_{10});
  EXPECT_EQ(Times(*Read()), Times_{});
  provider_->block(0).committed += 16;
  const auto batch = Read();
  EXPECT_EQ(Times(*batch), Times_{20});
  EXPECT_EQ(batch->entries[0].tid, 100u);
  EXPECT_EQ(batch->identity->pid, 100u);
  EXPECT_EQ(*batch->strings->Find(name_), "name");
  EXPECT_EQ(reader_->categories(), std::set<std::string>{"category"});
}

TEST_F(BufferReaderTest, OrdersThreadsByTime) {
  provider_->Take(0, 2, 101);
  provider_->Take(1, 1, 100);
  provider_->Event(0, 10, category_, name_);
  provider_->Event(0, 30, category_, name_);
  provider_->Event(1, 20, category_, name_);
  provider_->Event(1, 30, category_, name_);
  const auto batch = Read();
  EXPECT_EQ(Times(*batch), (Times_{10, 20, 30, 30}));
  // Records with equal times keep the order of their blocks.
  EXPECT_EQ(batch->entries[2].tid, 100u);
}

TEST_F(BufferReaderTest, FreesFullBlocksThatItHasRead) {
  provider_->Take(0, 1, 100);
  provider_->Event(0, 10, category_, name_);
  Read();
  EXPECT_EQ(provider_->block(0).state, static_cast<uint32_t>(FXT_BLOCK_OWNED));
  provider_->block(0).state = FXT_BLOCK_FULL;
  Read();
  EXPECT_EQ(provider_->block(0).state, static_cast<uint32_t>(FXT_BLOCK_FREE));
  provider_->Take(0, 9, 102);
  provider_->Event(0, 40, category_, name_);
  EXPECT_EQ(Times(*Read()), Times_{40});
}

TEST_F(BufferReaderTest, ReadsCircularBuffersRepeatedly) {
  Make({.mode = FXT_MODE_CIRCULAR, .bytes = 1 << 18, .categories = {}});
  provider_->Take(0, 1, 100);
  provider_->Event(0, 10, category_, name_);
  provider_->block(0).state = FXT_BLOCK_FULL;
  EXPECT_EQ(Times(*Read()), Times_{10});
  EXPECT_EQ(provider_->block(0).state, static_cast<uint32_t>(FXT_BLOCK_FULL));
  for (int i = 0; i < 2; ++i) {
    reader_->ReadAll();
    EXPECT_EQ(Times(*reader_->Take(pairs_, 0, 0, UINT64_MAX)), Times_{10});
  }
}

TEST_F(BufferReaderTest, DropsRecordsOutsideOfTheSession) {
  provider_->Take(0, 1, 100);
  for (const uint64_t time : {5, 10, 15, 20, 25}) provider_->Event(0, time, category_, name_);
  EXPECT_EQ(Times(*Read(10, 20)), (Times_{10, 15, 20}));
}

TEST_F(BufferReaderTest, ConvertsTheCounter) {
  Make({.clock = FXT_CLOCK_COUNTER, .bytes = 1 << 18, .categories = {}});
  pairs_.Add(0, 1000);
  pairs_.Add(100, 1200);
  provider_->Take(0, 1, 100);
  provider_->Event(0, 50, category_, name_);
  EXPECT_EQ(Times(*Read()), Times_{1100});
}

TEST_F(BufferReaderTest, ReportsAlertsAndLosses) {
  provider_->Take(0, 1, 100);
  provider_->Event(0, 10, category_, name_, FXT_EVENT_ALERT);
  provider_->header().lost = 7;
  auto batch = Read();
  ASSERT_EQ(batch->alerts.size(), 1u);
  EXPECT_EQ(batch->alerts[0].name, "name");
  EXPECT_EQ(batch->lost, 7u);
  provider_->header().lost = 3;  // not plausible
  EXPECT_EQ(Read()->lost, 0u);
  provider_->header().lost = UINT64_MAX;
  EXPECT_EQ(Read()->lost, 0u);
}

TEST_F(BufferReaderTest, CountsInvalidRecords) {
  provider_->Take(0, 1, 100);
  provider_->Event(0, 10, category_, name_);
  provider_->Event(0, 20, category_, name_, 4);   // not a type of providers
  provider_->Event(0, 30, category_, name_, 13);  // not a type
  provider_->Event(0, 40, category_, name_);
  auto batch = Read();
  EXPECT_EQ(Times(*batch), (Times_{10, 40}));
  EXPECT_EQ(batch->invalid, 2u);
  provider_->Event(0, 50, category_, name_);
  provider_->words(0)[8] = 4;  // size 0
  batch = Read();
  EXPECT_EQ(Times(*batch), Times_{});
  EXPECT_EQ(batch->invalid, 1u);
}

TEST_F(BufferReaderTest, FindsStringsThatAreDefinedLater) {
  provider_->header().strings = 4;
  provider_->Take(0, 1, 100);
  provider_->Event(0, 10, category_, 3);
  const auto before = Read();
  EXPECT_EQ(before->strings->Find(3), nullptr);
  EXPECT_EQ(provider_->Add("late"), 3);
  Read();
  // The earlier batch keeps its table unchanged.
  EXPECT_EQ(before->strings->Find(3), nullptr);
  EXPECT_EQ(*Read()->strings->Find(3), "late");
}

TEST_F(BufferReaderTest, ScanKeepsOnlyCountsAndAlerts) {
  Make({.mode = FXT_MODE_CIRCULAR, .bytes = 1 << 18, .categories = {}});
  provider_->Take(0, 1, 100);
  provider_->Event(0, 10, category_, name_);
  provider_->Event(0, 20, category_, name_, FXT_EVENT_ALERT);
  reader_->ScanNew(SIZE_MAX);
  const auto batch = reader_->Take(pairs_, 0, 0, UINT64_MAX);
  EXPECT_EQ(Times(*batch), Times_{});
  ASSERT_EQ(batch->alerts.size(), 1u);
  EXPECT_EQ(batch->alerts[0].time, 20u);
  EXPECT_EQ(reader_->records_seen(), 2u);
}

TEST_F(BufferReaderTest, ReadAllKeepsTheNewestBlocksWithinItsLimit) {
  Make({.mode = FXT_MODE_CIRCULAR, .bytes = 1 << 18, .categories = {}});
  for (uint32_t block = 0; block < 4; ++block) {
    provider_->Take(block, block + 1, 100);
    for (uint64_t i = 0; i < 10; ++i) provider_->Event(block, block * 100 + i, category_, name_);
  }
  reader_->ReadAll(2 * 10 * (16 + sizeof(RecordEntry)));
  const auto batch = reader_->Take(pairs_, 0, 0, UINT64_MAX);
  ASSERT_EQ(batch->entries.size(), 20u);
  EXPECT_EQ(batch->entries.front().time, 200u);
  EXPECT_EQ(batch->entries.back().time, 309u);
  EXPECT_EQ(batch->left_out, 20u);
}

TEST_F(BufferReaderTest, AReadingLimitLeavesBlocksToTheProvider) {
  for (uint32_t block = 0; block < 2; ++block) {
    provider_->Take(block, block + 1, 100);
    provider_->Event(block, block + 1, category_, name_);
    provider_->block(block).state = FXT_BLOCK_FULL;
  }
  reader_->ReadNew(16);
  EXPECT_EQ(provider_->block(0).state, static_cast<uint32_t>(FXT_BLOCK_FREE));
  EXPECT_EQ(provider_->block(1).state, static_cast<uint32_t>(FXT_BLOCK_FULL));
  EXPECT_EQ(reader_->new_bytes(), 16u);
  EXPECT_EQ(Times(*Read()), (Times_{1, 2}));
}

TEST_F(BufferReaderTest, PagesThatTheProviderNeverTouchedStayUnallocated) {
  Make({.mode = FXT_MODE_CIRCULAR, .bytes = 64 << 20, .categories = {}});
  for (uint32_t block = 0; block < reader_->buffer().blocks(); ++block) {
    provider_->Take(block, block + 1, 100);
    provider_->block(block).committed = FXT_BLOCK_BYTES;
  }
  reader_->ScanNew(SIZE_MAX);
  reader_->ReadAll();
  struct stat status = {};
  ASSERT_EQ(fstat(reader_->buffer().fd(), &status), 0);
  // The header, the descriptors and the strings.
  EXPECT_LT(status.st_blocks * 512, 2 << 20);
  EXPECT_EQ(Times(*reader_->Take(pairs_, 0, 0, UINT64_MAX)), Times_{});
}

TEST_F(BufferReaderTest, StringsBeyondTheBudgetAreUndefined) {
  const auto budget = std::make_shared<UserBudget>(16384, 12288);
  {
    auto buffer = SharedBuffer::Make({.bytes = 1 << 18, .categories = {}});
    FakeProvider fake(*buffer);
    BufferReader reader(std::make_shared<Identity>(Identity{5, 100, "app", 1000}),
                        std::move(*buffer), budget);
    for (int i = 0; i < 100; ++i) fake.Add(std::string(1000, 'x'));
    reader.ReadNew();
    const auto batch = reader.Take(pairs_, 0, 0, UINT64_MAX);
    EXPECT_NE(batch->strings->Find(1), nullptr);
    EXPECT_EQ(batch->strings->Find(99), nullptr);
    EXPECT_LE(budget->used(), 12288u);
  }
  EXPECT_EQ(budget->used(), 0u);
}

}  // namespace
}  // namespace provider
