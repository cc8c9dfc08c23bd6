// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_raw.h"

#include <gtest/gtest.h>

#include "unit/analyze/lbr/lbr_parts.h"
#include "unit/support/json.h"

namespace analyze {
namespace {

using perf::testing::MakeFlags;
using testing::MakeStack;

// Synthetic: no recording at hand has hw_idx, counters, types or privileges.
perf::BranchStackSample FullSample() {
  perf::BranchStackSample sample = MakeStack(20, 21, 1'000'000'007,
                                             {{0x400110, 0x400200,
                                               MakeFlags({.mispredicted = true,
                                                          .in_transaction = true,
                                                          .aborted = true,
                                                          .cycles = 7,
                                                          .type = PERF_BR_IND_CALL,
                                                          .speculation = PERF_BR_SPEC_WRONG_PATH,
                                                          .privilege = PERF_BR_PRIV_KERNEL})},
                                              {0x400140, 0x400100, MakeFlags({.predicted = true})},
                                              {0x10, 0x20, 0},
                                              {0, 0, MakeFlags({.predicted = true})}});
  sample.cpu = 3;
  sample.ip = 0x400111;
  sample.period = 4000;
  sample.hw_idx = 17;
  sample.event = "cycles";
  sample.counters = {0x5, 0, 0, 0};
  return sample;
}

std::string Write(LbrRawForm form, const std::optional<LbrSymbolOptions>& symbols = std::nullopt) {
  text::TextWriter out;
  LbrRawWriter writer(out, form, symbols);
  writer.OnModule({.process = 20, .number = 0, .file = "/bin/prog", .build_id = {}});
  writer.OnMapping(
      {.process = 20, .module = 0, .start = 0x400000, .size = 0x1000, .file_offset = 0});
  writer.OnKernelObject(testing::MakeObject(fxt::KernelObjectType::kThread, 21, "my worker"));
  writer.OnSample(FullSample());
  writer.OnSample(MakeStack(UINT32_MAX, UINT32_MAX, 2'000'000'000));
  EXPECT_EQ(writer.samples(), 2u);
  EXPECT_EQ(writer.branches(), 4u);
  EXPECT_TRUE(writer.WantsMore());
  return std::string(out.text());
}

TEST(LbrRawTest, WritesABranchPerLine) {
  EXPECT_EQ(Write(LbrRawForm::kText),
            "sample 1.000000007 pid 20 tid 21 cpu 3 ip 0x400111 period 4000 hw_idx 17 branches 4 "
            "event cycles thread my worker\n"
            "  0x400110 0x400200 M 7 in_tx abort ind_call wrong_path kernel counters 0x5\n"
            "  0x400140 0x400100 P 0 counters 0x0\n"
            "  0x10 0x20 - 0 counters 0x0\n"
            "  0x0 0x0 P 0 unfilled counters 0x0\n"
            "sample 2.000000000 pid -1 tid -1 branches 0\n");
}

TEST(LbrRawTest, NamesPlacesIfAsked) {
  LbrSymbolOptions options;
  options.enabled = false;
  const std::string text = Write(LbrRawForm::kText, options);
  EXPECT_NE(text.find("  0x400140 0x400100 P 0 counters 0x0 prog+0x140 -> prog+0x100\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("unfilled counters 0x0\n"), std::string::npos) << text;
}

TEST(LbrRawTest, WritesPerfsOwnLayout) {
  EXPECT_EQ(Write(LbrRawForm::kBrstack),
            "   20/21    [003]     1.000000007:  0x400110/0x400200/M/X/A/7/  "
            "0x400140/0x400100/P/-/-/0/  0x10/0x20/-/-/-/0/  0x0/0x0/P/-/-/0/ \n"
            "   -1/-1        2.000000000: \n");
}

TEST(LbrRawTest, WritesAJsonObjectPerLine) {
  LbrSymbolOptions options;
  options.enabled = false;
  const std::string text = Write(LbrRawForm::kJson, options);
  const size_t end = text.find('\n');
  ASSERT_NE(end, std::string::npos);
  const auto sample = testing_support::ParseJson(text.substr(0, end));
  EXPECT_EQ(sample.at("time_ns"), 1'000'000'007);
  EXPECT_EQ(sample.at("cpu"), 3);
  EXPECT_EQ(sample.at("hw_idx"), 17);
  EXPECT_EQ(sample.at("thread"), "my worker");
  const auto& branch = sample.at("branches").at(0);
  EXPECT_EQ(branch.at("from"), "0x400110");
  EXPECT_EQ(branch.at("mispredicted"), true);
  EXPECT_EQ(branch.at("cycles"), 7);
  EXPECT_EQ(branch.at("type"), "ind_call");
  EXPECT_EQ(branch.at("privilege"), "kernel");
  EXPECT_EQ(branch.at("counters"), "0x5");
  EXPECT_EQ(branch.at("from_place"), "prog+0x110");
  EXPECT_EQ(sample.at("branches").at(3).at("unfilled"), true);
  const auto second = testing_support::ParseJson(text.substr(end + 1));
  EXPECT_EQ(second.at("pid"), -1);
  EXPECT_FALSE(second.contains("cpu"));
}

}  // namespace
}  // namespace analyze
