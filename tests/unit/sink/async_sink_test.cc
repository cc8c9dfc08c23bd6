// SPDX-License-Identifier: BSD-2-Clause
#include "sink/async_sink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <numeric>
#include <semaphore>
#include <thread>

#include "sink/memory_sink.h"

namespace sink {
namespace {

using namespace std::chrono_literals;

// Records the calls of the inner sink, which it outlives.
struct Seen {
  std::vector<std::byte> bytes;
  std::vector<size_t> flushes_at;  // bytes there were
  std::thread::id thread;
  double most_pressure = 0;
};

// Blocks in each call until the test allows it, if the test wants that.
class InnerSink final : public Sink {
 public:
  InnerSink(Seen& seen, std::counting_semaphore<>* steps = nullptr, size_t fail_after = SIZE_MAX)
      : seen_(seen), steps_(steps), fail_after_(fail_after) {}

  bool Write(std::span<const std::byte> records) override {
    if (steps_ != nullptr) steps_->acquire();
    seen_.thread = std::this_thread::get_id();
    if (seen_.bytes.size() + records.size() > fail_after_) return false;
    seen_.bytes.insert(seen_.bytes.end(), records.begin(), records.end());
    return true;
  }
  bool Flush() override {
    seen_.flushes_at.push_back(seen_.bytes.size());
    return true;
  }
  void SetPressure(double fill) override {
    seen_.most_pressure = std::max(seen_.most_pressure, fill);
  }
  util::Status Close() override {
    if (fail_after_ != SIZE_MAX) return util::Error{"full", ""};
    return util::Ok();
  }
  uint64_t bytes_accepted() const override { return seen_.bytes.size(); }
  uint64_t bytes_on_disk() const override { return seen_.bytes.size(); }

 private:
  Seen& seen_;
  std::counting_semaphore<>* steps_;
  const size_t fail_after_;
};

std::vector<std::byte> Chunk(size_t bytes, int value) {
  return std::vector<std::byte>(bytes, static_cast<std::byte>(value));
}

TEST(AsyncSinkTest, WritesInOrderOnAnotherThread) {
  Seen seen;
  std::vector<std::byte> expected;
  AsyncSink sink(std::make_unique<InnerSink>(seen), 10'000);
  for (int i = 0; i < 2000; ++i) {
    const auto chunk = Chunk(8 * (i % 100 + 1), i);
    expected.insert(expected.end(), chunk.begin(), chunk.end());
    ASSERT_TRUE(sink.Write(chunk));
  }
  ASSERT_TRUE(sink.Close().ok());
  ASSERT_TRUE(sink.Close().ok());
  EXPECT_TRUE(seen.bytes == expected);
  EXPECT_EQ(sink.bytes_accepted(), expected.size());
  EXPECT_EQ(sink.bytes_on_disk(), expected.size());
  EXPECT_NE(seen.thread, std::this_thread::get_id());
  EXPECT_FALSE(sink.Write(Chunk(8, 1))) << "closed";
  EXPECT_FALSE(sink.Flush());
}

TEST(AsyncSinkTest, FlushesAfterEarlierWrites) {
  Seen seen;
  std::counting_semaphore<> steps(0);
  AsyncSink sink(std::make_unique<InnerSink>(seen, &steps));
  ASSERT_TRUE(sink.Flush());
  ASSERT_TRUE(sink.Write(Chunk(100, 1)));
  ASSERT_TRUE(sink.Write(Chunk(100, 2)));
  ASSERT_TRUE(sink.Flush());
  ASSERT_TRUE(sink.Flush());
  ASSERT_TRUE(sink.Write(Chunk(100, 3)));
  steps.release(3);
  ASSERT_TRUE(sink.Close().ok());
  ASSERT_FALSE(seen.flushes_at.empty());
  EXPECT_EQ(seen.flushes_at.back(), 200u);
}

TEST(AsyncSinkTest, BoundsTheQueue) {
  Seen seen;
  std::counting_semaphore<> steps(0);
  AsyncSink sink(std::make_unique<InnerSink>(seen, &steps), 1000);
  // A chunk counts until the inner sink has written it.
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(sink.Write(Chunk(200, i)));
  auto sixth = std::async(std::launch::async, [&] { return sink.Write(Chunk(200, 5)); });
  EXPECT_EQ(sixth.wait_for(100ms), std::future_status::timeout);
  EXPECT_EQ(sink.bytes_accepted(), 1200u);
  steps.release(6);
  EXPECT_TRUE(sixth.get());
  ASSERT_TRUE(sink.Close().ok());
  EXPECT_EQ(seen.bytes.size(), 1200u);
}

// The writer does the work while the thread is busy with a chunk.
TEST(AsyncSinkTest, WriterEmptiesAFullQueue) {
  Seen seen;
  std::counting_semaphore<> steps(0);
  AsyncSink sink(std::make_unique<InnerSink>(seen, &steps), 1000);
  ASSERT_TRUE(sink.Write(Chunk(1000, 1)));
  auto large = std::async(std::launch::async, [&] { return sink.Write(Chunk(5000, 2)); });
  EXPECT_EQ(large.wait_for(50ms), std::future_status::timeout);
  steps.release(2);
  // The chunk exceeds the queue: Write() returns after the inner sink has all of it.
  EXPECT_TRUE(large.get());
  EXPECT_EQ(seen.bytes.size(), 6000u);
  EXPECT_GE(seen.most_pressure, 1.0);
  ASSERT_TRUE(sink.Close().ok());
}

TEST(AsyncSinkTest, AcceptsAChunkLargerThanTheQueue) {
  Seen seen;
  AsyncSink sink(std::make_unique<InnerSink>(seen), 1000);
  ASSERT_TRUE(sink.Write(Chunk(8, 1)));
  ASSERT_TRUE(sink.Write(Chunk(100'000, 2)));
  ASSERT_TRUE(sink.Write(Chunk(8, 3)));
  ASSERT_TRUE(sink.Close().ok());
  EXPECT_EQ(seen.bytes.size(), 100'016u);
}

TEST(AsyncSinkTest, ReturnsTheErrorOfTheInnerSink) {
  Seen seen;
  AsyncSink sink(std::make_unique<InnerSink>(seen, nullptr, 500), 1000);
  bool ok = true;
  for (int i = 0; i < 100'000 && ok; ++i) ok = sink.Write(Chunk(200, i));
  EXPECT_FALSE(ok);
  EXPECT_FALSE(sink.Write(Chunk(8, 0)));
  EXPECT_FALSE(sink.Flush());
  EXPECT_EQ(sink.bytes_accepted(), 400u) << "what the inner sink took";
  const auto status = sink.Close();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "full");
  EXPECT_EQ(seen.bytes.size(), 400u);
}

TEST(AsyncSinkTest, FailureWakesAWaitingWriter) {
  Seen seen;
  std::counting_semaphore<> steps(0);
  AsyncSink sink(std::make_unique<InnerSink>(seen, &steps, 0), 1000);
  ASSERT_TRUE(sink.Write(Chunk(1000, 1)));
  auto waiting = std::async(std::launch::async, [&] { return sink.Write(Chunk(1000, 2)); });
  EXPECT_EQ(waiting.wait_for(50ms), std::future_status::timeout);
  steps.release(1);
  EXPECT_FALSE(waiting.get());
}

TEST(AsyncSinkTest, DestructorWritesTheRest) {
  Seen seen;
  {
    AsyncSink sink(std::make_unique<InnerSink>(seen));
    ASSERT_TRUE(sink.Write(Chunk(800, 1)));
  }
  EXPECT_EQ(seen.bytes.size(), 800u);
}

}  // namespace
}  // namespace sink
