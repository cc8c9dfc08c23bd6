// SPDX-License-Identifier: BSD-2-Clause
#include "capture/perf_source.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fxt_record/long_event.h"
#include "unit/capture/quiet_handler.h"

namespace capture {
namespace {

// Keeps what is delivered, as text.
struct Taker : testing::QuietHandler {
  void OnSideEvent(const fxr_side_header& header) {
    taken.push_back("event " + std::to_string(header.time));
  }
  void OnBranchSample(const perf::BranchStackSample& sample) {
    taken.push_back("sample " + std::to_string(sample.time));
  }
  void OnMapping(uint64_t time, const perf::MmapRecord& record) {
    taken.push_back("mapping " + std::to_string(time) + " " + std::string(record.file));
  }
  void OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) {
    taken.push_back("loss " + std::to_string(time) + " " + std::to_string(cpu) + " " +
                    std::to_string(category) + " " + std::to_string(count));
  }

  std::vector<std::string> taken;
};

PerfQueue::Event EventAt(uint64_t time) {
  PerfQueue::Event words(sizeof(fxr_long) / sizeof(uint64_t));
  reinterpret_cast<fxr_long*>(words.data())->header.time = time;
  return words;
}

TEST(PerfQueueTest, DeliversInTimeOrder) {
  PerfQueue queue(FXR_CATEGORY_LBR);
  EXPECT_EQ(queue.NextTime(), UINT64_MAX);
  perf::BranchStackSample sample;
  sample.time = 30;
  {
    const std::string file = "/bin/app";
    perf::MmapRecord mapping;
    mapping.file = file;
    queue.Add(10, EventAt(10));
    queue.Add(30, sample);
    queue.Add(5, mapping);
  }
  queue.AddLoss(20, 1, 7);
  EXPECT_EQ(queue.NextTime(), 5u);
  Taker taker;
  HandlerOf handler(taker);
  queue.DeliverNext(handler);
  // The next ring's are earlier than what still waits.
  queue.Add(8, EventAt(8));
  queue.Add(25, EventAt(25));
  while (queue.NextTime() != UINT64_MAX) queue.DeliverNext(handler);
  const std::string loss = "loss 20 1 " + std::to_string(FXR_CATEGORY_LBR) + " 7";
  EXPECT_EQ(taker.taken, (std::vector<std::string>{"mapping 5 /bin/app", "event 8", "event 10",
                                                   loss, "event 25", "sample 30"}));
}

TEST(PerfQueueTest, KeepsTheOrderOfEqualTimes) {
  PerfQueue queue(FXR_CATEGORY_LBR);
  queue.AddLoss(20, 0, 1);
  queue.AddLoss(10, 0, 2);
  queue.AddLoss(10, 0, 3);
  Taker taker;
  HandlerOf handler(taker);
  while (queue.NextTime() != UINT64_MAX) queue.DeliverNext(handler);
  ASSERT_EQ(taker.taken.size(), 3u);
  EXPECT_TRUE(taker.taken[0].ends_with(" 2"));
  EXPECT_TRUE(taker.taken[1].ends_with(" 3"));
  EXPECT_TRUE(taker.taken[2].ends_with(" 1"));
}

}  // namespace
}  // namespace capture
