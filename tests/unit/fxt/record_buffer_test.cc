// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/record_buffer.h"

#include <gtest/gtest.h>

#include <numeric>

#include "unit/fxt/support/collecting_sink.h"

namespace fxt {
namespace {

using testing::CollectingSink;

// Writes the words `first`, `first` + 1 and so on as one record.
bool Put(RecordBuffer& buffer, uint64_t first, size_t words) {
  uint64_t* out = buffer.Reserve(words);
  if (out == nullptr) return false;
  std::iota(out, out + words, first);
  buffer.Commit(words);
  return true;
}

TEST(RecordBufferTest, PassesCompleteRecordsInOrder) {
  CollectingSink sink;
  RecordBuffer buffer(sink, 10 * 8);
  uint64_t next = 0;
  for (int i = 0; i < 25; ++i, next += 3) ASSERT_TRUE(Put(buffer, next, 3));
  ASSERT_TRUE(buffer.Flush());
  std::vector<uint64_t> expected(75);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(sink.words, expected);
  for (const size_t bytes : sink.chunk_bytes) EXPECT_EQ(bytes % 24, 0u);
  EXPECT_EQ(buffer.bytes_committed(), 75u * 8);
  EXPECT_EQ(buffer.bytes_handed_over(), 75u * 8);
}

TEST(RecordBufferTest, DropsWordsThatAreNotCommitted) {
  CollectingSink sink;
  RecordBuffer buffer(sink, 10 * 8);
  ASSERT_TRUE(Put(buffer, 7, 1));
  uint64_t* abandoned = buffer.Reserve(5);
  ASSERT_NE(abandoned, nullptr);
  abandoned[0] = 666;
  ASSERT_TRUE(Put(buffer, 8, 1));
  ASSERT_NE(buffer.Reserve(100), nullptr);
  ASSERT_TRUE(Put(buffer, 9, 1));
  ASSERT_TRUE(buffer.Flush());
  EXPECT_EQ(sink.words, (std::vector<uint64_t>{7, 8, 9}));
}

TEST(RecordBufferTest, PassesALongRecordCompletely) {
  CollectingSink sink;
  RecordBuffer buffer(sink, 4 * 8);
  ASSERT_TRUE(Put(buffer, 0, 3));
  ASSERT_TRUE(Put(buffer, 3, 1000));
  ASSERT_TRUE(Put(buffer, 1003, 2));
  ASSERT_TRUE(buffer.Flush());
  EXPECT_EQ(sink.chunk_bytes, (std::vector<size_t>{24, 8000, 16}));
  std::vector<uint64_t> expected(1005);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(sink.words, expected);
}

TEST(RecordBufferTest, DestructorFlushes) {
  CollectingSink sink;
  {
    RecordBuffer buffer(sink);
    ASSERT_TRUE(Put(buffer, 1, 2));
  }
  EXPECT_EQ(sink.words, (std::vector<uint64_t>{1, 2}));
}

TEST(RecordBufferTest, EmptyFlushDoesNotCallTheSink) {
  CollectingSink sink;
  RecordBuffer buffer(sink);
  EXPECT_TRUE(buffer.Flush());
  EXPECT_EQ(sink.calls, 0);
}

TEST(RecordBufferTest, KeepsTheFailureOfTheSink) {
  CollectingSink sink;
  RecordBuffer buffer(sink, 2 * 8);
  ASSERT_TRUE(Put(buffer, 0, 2));
  ASSERT_TRUE(Put(buffer, 2, 2));
  sink.fail = true;
  EXPECT_FALSE(Put(buffer, 4, 2));
  EXPECT_TRUE(buffer.failed());
  sink.fail = false;
  EXPECT_FALSE(Put(buffer, 6, 1));
  EXPECT_FALSE(Put(buffer, 6, 100));
  EXPECT_FALSE(buffer.Flush());
  EXPECT_EQ(sink.calls, 2) << "a failed sink is not called again";
  EXPECT_EQ(sink.words, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(buffer.bytes_committed(), 32u);
  EXPECT_EQ(buffer.bytes_handed_over(), 16u);
}

}  // namespace
}  // namespace fxt
