// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/page/instance_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/temp_folder.h"
#include "unit/measure/trace_script.h"
#include "unit/support/json.h"

namespace analyze {
namespace {

using nlohmann::json;

TEST(InstanceJsonTest, HasInstancesOfReadableFiles) {
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
  EXPECT_EQ(found[0]["cpus"].size(), 1u);
  // The thread and its waker.
  ASSERT_EQ(found[0]["threads"].size(), 2u);
  bool blocks = false;
  for (const json& state : found[0]["threads"][0]["states"]) {
    blocks = blocks || state["state"] == "blocked";
  }
  EXPECT_TRUE(blocks);
}

TEST(InstanceJsonTest, IsAnEmptyArrayWithoutInstances) {
  EXPECT_EQ(testing_support::ParseJson(PicturesJson(ReadPictures({}))).size(), 0u);
}

}  // namespace
}  // namespace analyze
