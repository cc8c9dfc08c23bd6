// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_document.h"

#include <gtest/gtest.h>

#include "analyze/document/render.h"
#include "unit/analyze/lbr/lbr_parts.h"
#include "unit/support/json.h"

namespace analyze {
namespace {

using perf::testing::MakeFlags;
using testing::MakeStack;

LbrSymbolOptions NoSymbols() {
  LbrSymbolOptions options;
  options.enabled = false;
  return options;
}

std::string Text(const LbrReport& report, const LbrReportOptions& options) {
  return document::RenderText(LbrDocument("", report, options));
}
std::string Json(std::string_view file, const LbrReport& report, const LbrReportOptions& options) {
  return document::RenderJson(LbrDocument(file, report, options));
}

class LbrDocumentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    report_.OnModule({.process = 20, .number = 0, .file = "/bin/pro\ng", .build_id = {}});
    report_.OnMapping(
        {.process = 20, .module = 0, .start = 0x400000, .size = 0x1000, .file_offset = 0});
    report_.OnKernelObject(testing::MakeObject(fxt::KernelObjectType::kThread, 21, "w\x1b[31m"));
    report_.OnSample(
        MakeStack(20, 21, 1'500'000'000,
                  {{0x400110, 0x400200, MakeFlags({.mispredicted = true, .cycles = 7})},
                   {0x400140, 0x400100, MakeFlags({.predicted = true, .cycles = 3})},
                   {0x500000, 0x400140, MakeFlags({.predicted = true})},
                   {0, 0, MakeFlags({.predicted = true})}}));
  }
  LbrReport report_{NoSymbols()};
};

TEST_F(LbrDocumentTest, ShowsAllSectionsInText) {
  const std::string text = Text(report_, {});
  const auto has = [&](std::string_view part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in:\n" << text;
  };
  has("samples                   1\n");
  has("branches                  3  (at most 3 a sample)");
  has("unfilled slots            1  (not counted as branches)");
  has("mispredicted              1  (33.33%)");
  has("with cycles               2");
  has("hottest branches\n");
  has("           1  33.33%          1 100.00% -              pro\\u000ag+0x110 -> "
      "pro\\u000ag+0x200\n");
  has("0x500000 -> pro\\u000ag+0x140\n");
  has("most mispredicted branches\n");
  has("           7          1       7.0        7        7      16 pro\\u000ag+0x100 .. "
      "pro\\u000ag+0x110\n");
  has("threads\n");
  has("w\\u001b[31m [20/21]\n");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST_F(LbrDocumentTest, LeavesOutSectionsAndRowsBeyondTop) {
  LbrReportOptions options;
  options.sections = {false, false, false, false, true};
  const std::string text = Text(report_, options);
  EXPECT_EQ(text.find("hottest"), std::string::npos);
  EXPECT_NE(text.find("threads"), std::string::npos);
  options.sections = {};
  options.top = 1;
  EXPECT_NE(Text(report_, options).find("... 2 more (--top 0)"), std::string::npos);
  options.top = 0;
  EXPECT_EQ(Text(report_, options).find("more"), std::string::npos);
}

TEST_F(LbrDocumentTest, NamesFieldsThatTheCpuDoesNotReport) {
  LbrReport report(NoSymbols());
  EXPECT_EQ(Text(report, {}), "samples                   0\n");
  report.OnSample(MakeStack(20, 20, 1, {{0x10, 0x20, 0}}));
  const std::string text = Text(report, {});
  EXPECT_NE(text.find("mispredicted   not reported by this CPU"), std::string::npos) << text;
  EXPECT_NE(text.find("cycles         not counted by this CPU"), std::string::npos) << text;
}

TEST_F(LbrDocumentTest, IsWellFormedJson) {
  const auto json = testing_support::ParseJson(Json("a \"trace\"", report_, {}));
  EXPECT_EQ(json.at("file"), "a \"trace\"");
  EXPECT_EQ(json.at("branches"), 3);
  EXPECT_EQ(json.at("unfilled"), 1);
  EXPECT_EQ(json.at("first_time_ns"), 1'500'000'000);
  EXPECT_EQ(json.at("hottest_branches").at("total"), 3);
  const auto& mispredicted = json.at("mispredicted_branches").at("top").at(0);
  EXPECT_EQ(mispredicted.at("from").at("offset"), "0x110");
  EXPECT_EQ(mispredicted.at("from").at("module"), "/bin/pro\ng");
  EXPECT_EQ(mispredicted.at("mispredict_rate"), 1);
  const auto& block = json.at("blocks").at("top").at(0);
  EXPECT_EQ(block.at("cycles"), 7);
  EXPECT_EQ(block.at("first").at("offset"), "0x100");
  EXPECT_EQ(json.at("threads").at("top").at(0).at("tid"), 21);
  LbrReportOptions options;
  options.sections = {true, false, false, false, false};
  options.top = 2;
  const auto less = testing_support::ParseJson(Json("x", report_, options));
  EXPECT_FALSE(less.contains("blocks"));
  EXPECT_EQ(less.at("hottest_branches").at("top").size(), 2u);
  const LbrReport empty(NoSymbols());
  EXPECT_EQ(testing_support::ParseJson(Json("x", empty, {})).at("samples"), 0);
}

}  // namespace
}  // namespace analyze
