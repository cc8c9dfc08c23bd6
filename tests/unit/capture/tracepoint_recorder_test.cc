// SPDX-License-Identifier: BSD-2-Clause
#include "capture/tracepoint_recorder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "fxt_record/long_event.h"
#include "schema/tracepoint_format.h"
#include "unit/capture/quiet_handler.h"

namespace capture {
namespace {

struct TakenEvents {
  uint64_t time = 0;
  uint32_t cpu = 0;
  fxr_tracepoint_long event{};
  std::string record;
};

struct EventTaker : testing::QuietHandler {
  void OnSideEvent(const fxr_side_header& header) {
    const auto& event = reinterpret_cast<const fxr_long&>(header);
    TakenEvents one{header.time, header.cpu, {}, {}};
    ASSERT_TRUE(fxr_unpack_tracepoint(&event, &one.event));
    one.record.assign(static_cast<const char*>(fxr_long_bytes(&event)), event.bytes);
    taken.push_back(one);
  }
  void OnLoss(int32_t cpu, uint64_t, uint32_t category, uint64_t count) {
    losses.emplace_back(cpu, category, count);
  }

  std::vector<TakenEvents> taken;
  std::vector<std::tuple<int32_t, uint32_t, uint64_t>> losses;
};

std::string RecordOf(uint16_t id, int32_t tid, const std::string& rest) {
  const schema::TracepointHeader header{id, 0, 0, tid};
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) + rest;
}

class TracepointRecorderTest : public ::testing::Test {
 protected:
  void Sample(uint64_t time, const std::string& raw) {
    perf::Sample sample;
    sample.where.pid = 100;
    sample.where.time = time;
    sample.where.cpu = 1;
    sample.raw = util::Bytes(reinterpret_cast<const std::byte*>(raw.data()), raw.size());
    perf::Record record;
    record.body = sample;
    recorder_.OnRecord(1, record, time);
  }
  EventTaker Deliver() {
    EventTaker taker;
    HandlerOf handler(taker);
    while (recorder_.NextTime() != UINT64_MAX) recorder_.DeliverNext(handler);
    return taker;
  }

  TracepointRecorder recorder_{nullptr,
                               {{.system = "a", .name = "x", .id = 7, .fields = {}},
                                {.system = "b", .name = "y", .id = 9, .fields = {}}}};
};

TEST_F(TracepointRecorderTest, CarriesTheKernelsRecordAndItsThread) {
  Sample(50, RecordOf(9, 101, "payload"));
  Sample(40, RecordOf(7, 0, ""));
  const EventTaker taken = Deliver();
  ASSERT_EQ(taken.taken.size(), 2u);
  EXPECT_EQ(taken.taken[0].event.number, 0u);
  EXPECT_EQ(taken.taken[0].event.tid, 0u);
  EXPECT_EQ(taken.taken[1].event.number, 1u);
  EXPECT_EQ(taken.taken[1].event.tid, 101u);
  EXPECT_EQ(taken.taken[1].time, 50u);
  EXPECT_EQ(taken.taken[1].cpu, 1u);
  EXPECT_EQ(taken.taken[1].record, RecordOf(9, 101, "payload"));
}

TEST_F(TracepointRecorderTest, SkipsOtherRecords) {
  Sample(50, RecordOf(8, 101, ""));
  Sample(60, "short");
  EXPECT_TRUE(Deliver().taken.empty());
}

TEST_F(TracepointRecorderTest, AppliesTheTaskFilter) {
  TaskFilter filter;
  filter.tids = {101};
  recorder_.SetFilter(filter, [](uint32_t) { return false; });
  Sample(50, RecordOf(7, 101, ""));
  Sample(60, RecordOf(7, 102, ""));
  EXPECT_EQ(Deliver().taken.size(), 1u);
}

TEST_F(TracepointRecorderTest, CountsLossesForTheCategory) {
  perf::Record record;
  record.where.time = 45;
  record.body = perf::LostRecord{0, 7};
  recorder_.OnRecord(1, record, 50);
  const EventTaker taken = Deliver();
  ASSERT_EQ(taken.losses.size(), 1u);
  EXPECT_EQ(taken.losses[0], std::make_tuple(1, uint32_t{FXR_CATEGORY_TRACEPOINT}, uint64_t{7}));
}

}  // namespace
}  // namespace capture
