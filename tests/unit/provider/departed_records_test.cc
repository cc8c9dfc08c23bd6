// SPDX-License-Identifier: BSD-2-Clause
#include "provider/departed_records.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace provider {
namespace {

// `count` instants from `time` on, whose names are strings of `name_bytes` at the index 30,000.
std::unique_ptr<RecordBatch> BatchOf(uid_t user, uint64_t time, size_t count,
                                     size_t name_bytes = 10) {
  auto batch = std::make_unique<RecordBatch>();
  batch->identity = std::make_shared<Identity>(Identity{5, 100, "app", user});
  auto strings = std::make_shared<StringTable>();
  strings->Define(30'000, std::string(name_bytes, 'n'));
  strings->Define(1, "unused");
  batch->strings = strings;
  for (size_t i = 0; i < count; ++i) {
    batch->entries.push_back({time + i, 100, static_cast<uint32_t>(batch->words.size())});
    batch->words.push_back(4 | uint64_t{2} << 4 | uint64_t{1} << 24 | uint64_t{30'000} << 48);
    batch->words.push_back(time + i);
  }
  return batch;
}

TEST(DepartedRecordsTest, KeepsOnlyStringsInUse) {
  DepartedRecords records;
  EXPECT_EQ(records.Add(BatchOf(1000, 10, 2)), 0u);
  EXPECT_LT(records.bytes(), 8192u);
  const auto batches = records.Copy();
  ASSERT_EQ(batches.size(), 1u);
  const auto name = static_cast<uint16_t>(batches[0]->words[0] >> 48);
  EXPECT_EQ(*batches[0]->strings->Find(name), "nnnnnnnnnn");
  EXPECT_EQ(batches[0]->strings->Find(static_cast<uint16_t>(name + 1)), nullptr);
}

TEST(DepartedRecordsTest, DropsTheOldestOfTheLargestUserAndCountsThem) {
  DepartedRecords records;
  records.Add(BatchOf(1000, 10, 1));
  uint64_t dropped = 0;
  constexpr size_t kBatches = 100;
  constexpr size_t kRecords = 10'000;
  for (size_t i = 0; i < kBatches; ++i) dropped += records.Add(BatchOf(2000, 100, kRecords));
  EXPECT_LE(records.bytes(), DepartedRecords::kMaxBytes);
  EXPECT_GT(dropped, 0u);
  size_t kept = 0;
  size_t lost = 0;
  bool has_small_user = false;
  for (const auto& batch : records.Take()) {
    kept += batch->entries.size();
    lost += batch->lost;
    has_small_user = has_small_user || batch->identity->user == 1000;
  }
  EXPECT_TRUE(has_small_user);
  EXPECT_EQ(lost, dropped);
  EXPECT_EQ(kept + lost, 1 + kBatches * kRecords);
  EXPECT_EQ(records.bytes(), 0u);
}

TEST(DepartedRecordsTest, DropsRecordsBeforeTheWindow) {
  DepartedRecords records;
  records.Add(BatchOf(1000, 10, 2));
  records.Add(BatchOf(1000, 20, 2));
  records.DropBefore(15);
  ASSERT_EQ(records.Copy().size(), 1u);
  records.DropBefore(22);
  EXPECT_TRUE(records.Copy().empty());
  EXPECT_EQ(records.bytes(), 0u);
}

}  // namespace
}  // namespace provider
