// SPDX-License-Identifier: BSD-2-Clause
#include "view/trace_index.h"

#include <gtest/gtest.h>

#include "facts/read_loop.h"
#include "unit/measure/trace_script.h"

namespace view {
namespace {

using measure::testing::TraceScript;

void Fill(TraceIndex& index, std::span<const std::byte> bytes) {
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  facts::ReadRecords(reader, index);
  index.Finish();
}

TEST(TraceIndexTest, LossesAndGapsBelongToTheirCpu) {
  TraceScript script;
  script.Name(10, "a").Name(20, "b").Session(50);
  script.Switch(100, 0, 10, "S", 20).Loss(200, 0, 7).Switch(300, 0, 20, "S", 10);
  script.Switch(100, 1, 0, "R", 20).Unseen(400, 1).Switch(400, 1, 20, "S", 0).Loss(500, -1, 3);
  TraceIndex index;
  Fill(index, script.bytes());
  ASSERT_EQ(index.loss_tracks().size(), 3U);
  LossTrack& first = index.loss_tracks()[0];
  EXPECT_EQ(first.cpu, 0U);
  ASSERT_EQ(first.gaps.Sorted().size(), 1U);
  EXPECT_EQ(first.gaps.Sorted()[0].begin, 200U);
  EXPECT_EQ(first.gaps.Sorted()[0].end, 300U);
  EXPECT_EQ(index.labels().Text(first.gaps.Sorted()[0].name), "lost events");
  const Instant& loss = first.losses.Sorted().at(0);
  EXPECT_EQ(loss.time, 200U);
  EXPECT_EQ(index.labels().Text(loss.name), "lost events");
  EXPECT_EQ(index.labels().Text(loss.args), R"("cpu":0,"count":7,"category":"sched")");
  LossTrack& second = index.loss_tracks()[1];
  EXPECT_EQ(second.cpu, 1U);
  EXPECT_EQ(index.labels().Text(second.losses.Sorted().at(0).name), "hidden switch");
  ASSERT_EQ(second.gaps.Sorted().size(), 1U);
  EXPECT_EQ(second.gaps.Sorted()[0].begin, 100U);
  EXPECT_EQ(second.gaps.Sorted()[0].end, 400U);
  LossTrack& third = index.loss_tracks()[2];
  EXPECT_FALSE(third.cpu);
  EXPECT_TRUE(third.gaps.empty());
  EXPECT_EQ(third.losses.Sorted().at(0).time, 500U);
}

TEST(TraceIndexTest, RequestsOfADeviceShareATrack) {
  TraceScript script;
  const auto add = [&](fxt::EventType type, uint64_t time, uint32_t device, uint64_t id,
                       std::string_view name) {
    script.Add(fxt::Event{
        .type = type,
        .timestamp = time,
        .thread = fxt::ThreadRef::Inline(schema::kDeviceProcessKoid, schema::DeviceKoid(device)),
        .category = TraceScript::Text("block"),
        .name = TraceScript::Text(name),
        .arguments = {},
        .payload = id});
  };
  script.Process(schema::kDeviceProcessKoid, "block devices");
  script.Thread(schema::DeviceKoid(0), "vda", schema::kDeviceProcessKoid);
  script.Thread(schema::DeviceKoid(1), "vdb", schema::kDeviceProcessKoid);
  add(fxt::EventType::kAsyncBegin, 100, 0, 1, "read");
  add(fxt::EventType::kAsyncBegin, 150, 0, 2, "write");
  add(fxt::EventType::kAsyncBegin, 160, 1, 3, "read");
  add(fxt::EventType::kAsyncEnd, 200, 0, 1, "read");
  add(fxt::EventType::kAsyncEnd, 300, 0, 2, "write");
  add(fxt::EventType::kAsyncEnd, 400, 1, 3, "read");
  TraceIndex index;
  Fill(index, script.bytes());
  ASSERT_EQ(index.async_tracks().size(), 2U);
  AsyncTrack& first = index.async_tracks()[0];
  EXPECT_EQ(first.device, schema::DeviceKoid(0));
  ASSERT_EQ(first.spans.Sorted().size(), 2U);
  EXPECT_EQ(first.spans.rows(), 2U);
  EXPECT_EQ(index.labels().Text(first.spans.Sorted()[1].name), "write");
  EXPECT_EQ(index.async_tracks()[1].device, schema::DeviceKoid(1));
}

}  // namespace
}  // namespace view
