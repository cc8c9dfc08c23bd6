// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/instance_pictures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/temp_folder.h"
#include "unit/measure/trace_script.h"
#include "unit/support/json.h"

namespace analyze {
namespace {

using nlohmann::json;

TEST(InstancePicturesTest, HasInstancesOfReadableFiles) {
  const testing_support::TempFolder folder;
  const std::string path = folder / "trace.fxt";
  measure::testing::TraceScript trace;
  trace.Name(7, "app").Name(9, "</script>");
  trace.Switch(0, 0, 0, "R", 7).Switch(100'000, 0, 7, "D", 0);
  trace.Wake(300'000, 9).Switch(300'000, 0, 0, "R", 9).Wake(400'000, 7, 9);
  trace.Switch(410'000, 0, 9, "S", 7).Switch(900'000, 0, 7, "S", 0);
  const auto bytes = trace.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));

  const Instance blocked{100'000, 300'000, 7};
  const json found = testing_support::ParseJson(PicturesJson(
      ReadPictures({{path, {blocked}}, {folder / "gone.fxt", {blocked}}, {"-", {blocked}}})));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["file"], path);
  EXPECT_EQ(found[0]["begin_ns"], 100'000);
  EXPECT_EQ(found[0]["thread"]["name"], "app");
  EXPECT_EQ(found[0]["chain"][0]["waker"]["name"], "</script>");
  // A lane of the CPU, and of the thread and its waker.
  std::vector<std::string> texts;
  std::vector<std::string> colours;
  for (const json& shape : found[0]["shapes"]) {
    if (shape[0] == "text") texts.push_back(shape[4]);
    if (shape[0] == "rect") colours.push_back(shape[5]);
  }
  for (const char* text : {"CPU 0", "app 7", "</script> 9"}) {
    EXPECT_THAT(texts, ::testing::Contains(text));
  }
  EXPECT_THAT(colours, ::testing::IsSupersetOf({"blocked", "running", "waker"}));
  EXPECT_GT(found[0]["height"], 0);
}

TEST(InstancePicturesTest, DrawsWaitsFromTheIntervalsOfAReport) {
  WorstWait wait;
  wait.begin = 100'000;
  wait.end = 900'000;
  wait.thread = 7;
  wait.kind = facts::WaitKind::kPreempted;
  wait.chain.push_back({90'000, 7, 9});
  wait.around.push_back({0, 500'000, 9, 1, Interval::What::kRun});
  wait.around.push_back({900'000, 2'000'000, 7, 0, Interval::What::kRun});
  wait.around.push_back({0, 5'000, 8, 0, Interval::What::kRun});
  const InstancePicture picture = InstancePictureOf(wait);
  EXPECT_EQ(picture.first, 0u);
  EXPECT_EQ(picture.last, 1'000'000u);
  const Drawing drawing = DrawingOf(picture, {}, 0);
  ASSERT_EQ(drawing.cpus.size(), 2u);
  EXPECT_EQ(drawing.cpus[0].cpu, 0u);
  ASSERT_EQ(drawing.cpus[0].runs.size(), 2u);
  EXPECT_EQ(drawing.cpus[0].runs[0].mark, Drawing::Mark::kSelf);
  EXPECT_EQ(drawing.cpus[0].runs[1].mark, Drawing::Mark::kNone);
  EXPECT_EQ(drawing.cpus[1].runs[0].mark, Drawing::Mark::kWaker);
  ASSERT_EQ(drawing.threads.size(), 2u);
  const auto preempted = static_cast<size_t>(Drawing::State::kPreempted);
  EXPECT_NEAR(drawing.threads[0].slots[500][preempted], drawing.slot_ns(), 1e-6);
  EXPECT_EQ(drawing.threads[0].slots[50][preempted], 0);
  EXPECT_EQ(drawing.focus->begin, 100'000u);
  EXPECT_EQ(drawing.wakes.size(), 1u);
}

TEST(InstancePicturesTest, IsAnEmptyArrayWithoutInstances) {
  EXPECT_EQ(testing_support::ParseJson(PicturesJson(ReadPictures({}))).size(), 0u);
}

}  // namespace
}  // namespace analyze
