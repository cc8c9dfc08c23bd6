// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/drawing_svg.h"

#include <gtest/gtest.h>

#include "analyze/page/palette.h"

namespace analyze {
namespace {

std::string LightColour(std::string_view name) { return PageColour(PageStyle::kLight, name); }

Drawing SmallDrawing() {
  Drawing drawing;
  drawing.first = 1'000'000'000;
  drawing.begin = 2'000'000'000;
  drawing.end = 2'020'000'000;
  auto& cpu = drawing.cpus.emplace_back();
  cpu.cpu = 7;
  cpu.busy.assign(Drawing::kSlots, 20'000);
  cpu.runs.push_back({drawing.begin, drawing.end, "<compiler>"});
  auto& lane = drawing.threads.emplace_back();
  lane.koid = 42;
  lane.tid = 42;
  lane.thread = "<compiler>";
  lane.process = "make";
  lane.slots.resize(Drawing::kSlots);
  for (size_t i = 0; i < 500; ++i) lane.slots[i][0] = 20'000;
  lane.slots[700][static_cast<size_t>(Drawing::State::kBlocked)] = 15'000;
  lane.slots[700][0] = 5;
  lane.spans.push_back({drawing.begin, drawing.begin + 4'000'000, "link"});
  return drawing;
}

bool Has(const std::string& svg, std::string_view text) {
  return svg.find(text) != std::string::npos;
}

TEST(DrawingSvgTest, IsAsWideAsItsSlots) {
  Drawing drawing = SmallDrawing();
  EXPECT_TRUE(Has(DrawingSvg(drawing, "", LightColour), "width=\"1200\""));
  drawing.slots = 600;
  EXPECT_TRUE(Has(DrawingSvg(drawing, "", LightColour), "width=\"800\""));
}

TEST(DrawingSvgTest, HasATitleWithTheInterval) {
  const std::string svg = DrawingSvg(SmallDrawing(), "a & b.fxt", LightColour);
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  for (const char* text : {"a &amp; b.fxt", "CPU 7", "1 of 1 threads", "&lt;compiler&gt;", "link",
                           "1.000 s", "&lt;compiler&gt; of make 42"}) {
    EXPECT_TRUE(Has(svg, text)) << text;
  }
  EXPECT_FALSE(Has(svg, "<compiler>"));
  EXPECT_FALSE(Has(svg, "events are missing"));
}

TEST(DrawingSvgTest, StatesHaveTheirColours) {
  const std::string svg = DrawingSvg(SmallDrawing(), "", LightColour);
  for (const char* colour : {"running", "blocked", "base"}) {
    EXPECT_TRUE(Has(svg, LightColour(colour))) << colour;
  }
  EXPECT_FALSE(Has(svg, LightColour("stopped")));
  EXPECT_FALSE(Has(svg, "fill=\"\""));
  EXPECT_FALSE(Has(svg, "stroke=\"\""));
}

TEST(DrawingSvgTest, MarksLossesAndWakeups) {
  Drawing drawing = SmallDrawing();
  drawing.losses.push_back({drawing.begin + 1, 7, 3});
  drawing.wakes.push_back({drawing.begin + 9'000'000, std::nullopt, 42});
  const std::string svg = DrawingSvg(drawing, "", LightColour);
  EXPECT_TRUE(Has(svg, "class=\"loss\""));
  EXPECT_TRUE(Has(svg, "class=\"wake\""));
  EXPECT_TRUE(Has(svg, "events are missing"));
}

TEST(DrawingSvgTest, ShortSpanDoesNotHideTheNextLongOne) {
  Drawing drawing = SmallDrawing();
  auto& spans = drawing.threads[0].spans;
  spans.push_back({drawing.begin + 5'000'000, drawing.begin + 5'000'200, "lock"});
  spans.push_back({drawing.begin + 5'001'000, drawing.begin + 15'000'000, "compact"});
  EXPECT_TRUE(Has(DrawingSvg(drawing, "", LightColour), "compact"));
}

TEST(DrawingSvgTest, AxisEndsAtTheGreatestTime) {
  Drawing drawing = SmallDrawing();
  drawing.end = UINT64_MAX;
  EXPECT_LT(DrawingSvg(drawing, "", LightColour).size(), 100'000u);
  drawing.begin = UINT64_MAX - 1000;
  EXPECT_LT(DrawingSvg(drawing, "", LightColour).size(), 100'000u);
}

TEST(DrawingSvgTest, ANanosecondHasAnAxis) {
  Drawing drawing = SmallDrawing();
  drawing.end = drawing.begin + 1;
  drawing.cpus[0].runs.clear();
  drawing.threads.clear();
  drawing.other_cpus = 3;
  const std::string svg = DrawingSvg(drawing, "", LightColour);
  EXPECT_TRUE(Has(svg, "</svg>"));
  EXPECT_TRUE(Has(svg, "1 ns shown, from "));
  EXPECT_TRUE(Has(svg, "1 of 4 CPUs"));
}

}  // namespace
}  // namespace analyze
