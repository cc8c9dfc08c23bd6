// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/flame_text.h"

#include <gtest/gtest.h>

#include "unit/support/json.h"

namespace analyze {
namespace {

const FoldedStacks kStacks = {{{"app", "app", "main", "read"}, 7}, {{"app", "app", "main"}, 5}};

TEST(FlameTextTest, FoldedHasALinePerStack) {
  text::TextWriter out;
  WriteFolded(out, kStacks, nullptr);
  EXPECT_EQ(out.text(), "app;app;main 5\napp;app;main;read 7\n");
}

TEST(FlameTextTest, ComparisonHasBothCountsAndGoneStacks) {
  const FoldedStacks base = {{{"app", "app", "main"}, 4}, {{"app", "app", "old"}, 2}};
  text::TextWriter out;
  WriteFolded(out, kStacks, &base);
  EXPECT_EQ(out.text(), "app;app;main 4 5\napp;app;main;read 0 7\napp;app;old 2 0\n");
}

TEST(FlameTextTest, SpeedscopeGetsSamplesAndWeights) {
  text::TextWriter out;
  WriteSpeedscope(out, kStacks, FlameKind::kOff, "a.fxt");
  const auto json = testing_support::ParseJson(out.text());
  EXPECT_EQ(json["$schema"], "https://www.speedscope.app/file-format-schema.json");
  const auto& frames = json["shared"]["frames"];
  ASSERT_EQ(frames.size(), 3u);
  const auto& profile = json["profiles"][0];
  EXPECT_EQ(profile["unit"], "microseconds");
  EXPECT_EQ(profile["endValue"], 12);
  ASSERT_EQ(profile["samples"].size(), 2u);
  EXPECT_EQ(profile["weights"], (nlohmann::json{5, 7}));
  EXPECT_EQ(frames[profile["samples"][1].back().get<size_t>()]["name"], "read");
}

TEST(FlameTextTest, WritesValidFilesWithoutStacks) {
  text::TextWriter out;
  WriteFolded(out, {}, nullptr);
  EXPECT_EQ(out.text(), "");
  WriteSpeedscope(out, {}, FlameKind::kOn, "a.fxt");
  EXPECT_EQ(testing_support::ParseJson(out.text())["profiles"][0]["endValue"], 0);
}

}  // namespace
}  // namespace analyze
