// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/kallsyms.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace symbols {
namespace {

TEST(KallsymsTest, ReadsFunctions) {
  const auto kallsyms = ParseKallsyms(
      "ffffffff81000000 T _stext\n"
      "ffffffff81000000 T _text\n"
      "ffffffff81000100 t do_one\n"
      "ffffffff81000200 D some_data\n"
      "ffffffff81000300 W do_weak\n"
      "ffffffffc0001000 t helper\t[nf_tables]\n"
      "not a line\n"
      "\n"
      "ffffffffc0001100 T last\t[nf_tables]");
  ASSERT_TRUE(kallsyms.ok());
  EXPECT_EQ(kallsyms->text_start, 0xffffffff81000000);
  EXPECT_EQ(kallsyms->functions.Find(0xffffffff81000150)->name, "do_one");
  EXPECT_EQ(kallsyms->functions.Find(0xffffffff81000300)->name, "do_weak");
  EXPECT_EQ(kallsyms->functions.Find(0xffffffffc0001010)->name, "helper");
  EXPECT_EQ(kallsyms->functions.Find(0xffffffffc0001100)->name, "last");
  EXPECT_EQ(kallsyms->functions.FindByName("some_data"), nullptr);
}

TEST(KallsymsTest, SaysWhenTheKernelHidesAddresses) {
  const auto hidden = ParseKallsyms("0000000000000000 T _text\n0000000000000000 T do_one\n");
  ASSERT_FALSE(hidden.ok());
  EXPECT_NE(hidden.error().hint.find("kptr_restrict"), std::string::npos);
  EXPECT_FALSE(ParseKallsyms("").ok());
  EXPECT_FALSE(ReadKallsyms("/nonexistent").ok());
}

TEST(KallsymsTest, ReadsTheRunningKernel) {
  const auto kallsyms = ReadKallsyms("/proc/kallsyms");
  if (!kallsyms) GTEST_SKIP() << kallsyms.error().message;
  ASSERT_TRUE(kallsyms->text_start.has_value());
  EXPECT_GT(kallsyms->functions.size(), 1000u);
  const Symbol* schedule = kallsyms->functions.FindByName("schedule");
  ASSERT_NE(schedule, nullptr);
  EXPECT_EQ(kallsyms->functions.Find(schedule->address + 1), schedule);
}

TEST(KallsymsTest, FindsTheRunningKernelsText) {
  const auto kallsyms = ReadKallsyms("/proc/kallsyms");
  if (!kallsyms) GTEST_SKIP() << kallsyms.error().message;
  const auto text = FindKernelText();
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->start, kallsyms->text_start);
  const Symbol* schedule = kallsyms->functions.FindByName("schedule");
  ASSERT_NE(schedule, nullptr);
  EXPECT_LT(schedule->address - text->start, text->size);
  EXPECT_FALSE(FindKernelText("/nonexistent").has_value());
}

}  // namespace
}  // namespace symbols
