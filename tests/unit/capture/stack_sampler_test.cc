// SPDX-License-Identifier: BSD-2-Clause
#include "capture/stack_sampler.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "fxt_record/long_event.h"
#include "unit/capture/quiet_handler.h"

namespace capture {
namespace {

constexpr uint64_t kKernel = 0xffffffff81000000;

struct Taken {
  fxr_stack_long stack{};
  uint64_t time = 0;
  std::vector<uint64_t> frames;
};

// Keeps what is delivered.
struct StackTaker : testing::QuietHandler {
  void OnSideEvent(const fxr_side_header& header) {
    const auto& event = reinterpret_cast<const fxr_long&>(header);
    Taken taken;
    taken.time = header.time;
    ASSERT_TRUE(fxr_unpack_stack(&event, &taken.stack));
    const auto* frames = static_cast<const uint64_t*>(fxr_long_bytes(&event));
    taken.frames.assign(frames, frames + event.bytes / sizeof(uint64_t));
    stacks.push_back(taken);
  }
  void OnMapping(uint64_t, const perf::MmapRecord& record) { files.emplace_back(record.file); }
  void OnLoss(int32_t cpu, uint64_t, uint32_t category, uint64_t count) {
    losses.emplace_back(cpu, category, count);
  }

  std::vector<Taken> stacks;
  std::vector<std::string> files;
  std::vector<std::tuple<int32_t, uint32_t, uint64_t>> losses;
};

class StackSamplerTest : public ::testing::Test {
 protected:
  void Sample(uint32_t tid, uint64_t time, const std::vector<uint64_t>& chain) {
    perf::Sample sample;
    sample.where.pid = 100;
    sample.where.tid = tid;
    sample.where.time = time;
    sample.where.cpu = 1;
    sample.callchain = util::PackedView<uint64_t>(std::as_bytes(std::span(chain)));
    perf::Record record;
    record.body = sample;
    sampler_.OnRecord(1, record, time);
  }
  template <typename Body>
  void Other(uint64_t time, Body body) {
    perf::Record record;
    record.where.time = time;
    record.body = body;
    sampler_.OnRecord(1, record, time);
  }
  StackTaker Deliver() {
    StackTaker taker;
    HandlerOf handler(taker);
    while (sampler_.NextTime() != UINT64_MAX) sampler_.DeliverNext(handler);
    return taker;
  }

  StackSampler sampler_{nullptr};
};

TEST_F(StackSamplerTest, ASampleIsALongEventWithBothHalves) {
  Sample(101, 50,
         {static_cast<uint64_t>(PERF_CONTEXT_KERNEL), kKernel, kKernel + 1,
          static_cast<uint64_t>(PERF_CONTEXT_USER), 0x1000, 0x2000, 0x3000});
  const StackTaker taken = Deliver();
  ASSERT_EQ(taken.stacks.size(), 1u);
  EXPECT_EQ(taken.stacks[0].stack.kind, FXR_STACK_ON);
  EXPECT_EQ(taken.stacks[0].stack.tid, 101u);
  EXPECT_EQ(taken.stacks[0].stack.tgid, 100u);
  EXPECT_EQ(taken.stacks[0].stack.user_frames, 3u);
  EXPECT_EQ(taken.stacks[0].time, 50u);
  EXPECT_EQ(taken.stacks[0].frames,
            (std::vector<uint64_t>{0x1000, 0x2000, 0x3000, kKernel, kKernel + 1}));
}

TEST_F(StackSamplerTest, LimitsTheLengthOfChains) {
  std::vector<uint64_t> chain(1000, 0x1000);
  chain[0] = static_cast<uint64_t>(PERF_CONTEXT_USER);
  Sample(101, 50, chain);
  EXPECT_EQ(Deliver().stacks.at(0).frames.size(), size_t{FXR_STACK_FRAMES});
}

TEST_F(StackSamplerTest, SkipsVirtualMachinesAndIdleTasks) {
  Sample(101, 50, {static_cast<uint64_t>(PERF_CONTEXT_GUEST), 0x1000});
  Sample(0, 60, {static_cast<uint64_t>(PERF_CONTEXT_KERNEL), kKernel});
  const StackTaker taken = Deliver();
  ASSERT_EQ(taken.stacks.size(), 1u);
  EXPECT_TRUE(taken.stacks[0].frames.empty());
}

TEST_F(StackSamplerTest, AppliesTheTaskFilter) {
  TaskFilter filter;
  filter.tids = {101};
  sampler_.SetFilter(filter, [](uint32_t) { return false; });
  Sample(101, 50, {});
  Sample(102, 60, {});
  EXPECT_EQ(Deliver().stacks.size(), 1u);
}

TEST_F(StackSamplerTest, DeliversInTimeOrder) {
  perf::MmapRecord mapping;
  mapping.file = "/usr/bin/app";
  mapping.size = 4096;
  Sample(101, 50, {});
  Other(40, mapping);
  Other(45, perf::LostRecord{0, 7});
  EXPECT_EQ(sampler_.NextTime(), 40u);
  const StackTaker taken = Deliver();
  EXPECT_EQ(taken.files, std::vector<std::string>{"/usr/bin/app"});
  ASSERT_EQ(taken.losses.size(), 1u);
  EXPECT_EQ(taken.losses[0], std::make_tuple(1, uint32_t{FXR_CATEGORY_STACK}, uint64_t{7}));
  EXPECT_EQ(taken.stacks.size(), 1u);
}

}  // namespace
}  // namespace capture
