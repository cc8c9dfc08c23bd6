// SPDX-License-Identifier: BSD-2-Clause
#include "util/quantity.h"

#include <gtest/gtest.h>

namespace util {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

uint64_t Duration(std::string_view text) {
  auto value = ParseDuration(text);
  EXPECT_TRUE(value.ok()) << text;
  return value ? *value : 0;
}

uint64_t Size(std::string_view text) {
  auto value = ParseSize(text);
  EXPECT_TRUE(value.ok()) << text;
  return value ? *value : 0;
}

TEST(ParseDurationTest, AcceptsTheUnits) {
  EXPECT_EQ(Duration("10"), 10 * kSecond);
  EXPECT_EQ(Duration("10s"), 10 * kSecond);
  EXPECT_EQ(Duration("7ns"), 7u);
  EXPECT_EQ(Duration("500us"), 500'000u);
  EXPECT_EQ(Duration("20ms"), 20'000'000u);
  EXPECT_EQ(Duration("2m"), 120 * kSecond);
  EXPECT_EQ(Duration("2min"), 120 * kSecond);
  EXPECT_EQ(Duration("1h"), 3600 * kSecond);
}

TEST(ParseDurationTest, AcceptsFractions) {
  EXPECT_EQ(Duration("1.5s"), 1'500'000'000u);
  EXPECT_EQ(Duration(".5s"), 500'000'000u);
  EXPECT_EQ(Duration("0.25m"), 15 * kSecond);
}

TEST(ParseDurationTest, HasLimits) {
  EXPECT_EQ(Duration("1ns"), 1u);
  EXPECT_FALSE(ParseDuration("0").ok());
  EXPECT_FALSE(ParseDuration("0s").ok());
  EXPECT_FALSE(ParseDuration("0.5ns").ok());
  EXPECT_EQ(Duration("876000h"), uint64_t{876000} * 3600 * kSecond);
  EXPECT_FALSE(ParseDuration("876001h").ok());
  EXPECT_FALSE(ParseDuration(std::string(400, '9')).ok());
}

TEST(ParseDurationTest, RefusesOtherText) {
  for (const char* text : {"",    " ",    "s",   "ms",  ".",    ".s",    "-1",    "-1s",
                           "+1s", "1x",   "1S",  "1 s", " 1s",  "1s ",   "1.2.3", "1..5s",
                           "1e3", "0x10", "inf", "nan", "1sec", "1h30m", "10s\n", "1,5s"}) {
    auto value = ParseDuration(text);
    EXPECT_FALSE(value.ok()) << "'" << text << "'";
    if (value) continue;
    EXPECT_NE(value.error().message.find("'" + std::string(text) + "'"), std::string::npos);
    EXPECT_FALSE(value.error().hint.empty());
  }
}

TEST(ParseSizeTest, AcceptsTheUnits) {
  EXPECT_EQ(Size("4096"), 4096u);
  EXPECT_EQ(Size("4096B"), 4096u);
  EXPECT_EQ(Size("64K"), 65536u);
  EXPECT_EQ(Size("64k"), 65536u);
  EXPECT_EQ(Size("64KB"), 65536u);
  EXPECT_EQ(Size("64KiB"), 65536u);
  EXPECT_EQ(Size("8M"), uint64_t{8} << 20);
  EXPECT_EQ(Size("1G"), uint64_t{1} << 30);
  EXPECT_EQ(Size("2TiB"), uint64_t{2} << 40);
  EXPECT_EQ(Size("1.5M"), uint64_t{3} << 19);
}

TEST(ParseSizeTest, HasLimits) {
  EXPECT_EQ(Size("1"), 1u);
  EXPECT_FALSE(ParseSize("0").ok());
  EXPECT_FALSE(ParseSize("0.5").ok());
  EXPECT_FALSE(ParseSize("9999999999T").ok());
  EXPECT_FALSE(ParseSize(std::string(400, '9')).ok());
}

TEST(ParseSizeTest, RefusesOtherText) {
  for (const char* text : {"", " ", "K", "-1", "-1K", "+1K", "1m", "1X", "1KX", "1KBB", "1iB",
                           "1 K", "1.2.3K", "0x10", "inf", "8MM", "1K\n", "1P"}) {
    auto value = ParseSize(text);
    EXPECT_FALSE(value.ok()) << "'" << text << "'";
    if (value) continue;
    EXPECT_NE(value.error().message.find("'" + std::string(text) + "'"), std::string::npos);
    EXPECT_FALSE(value.error().hint.empty());
  }
}

TEST(FormatSizeTest, KeepsOneDecimal) {
  EXPECT_EQ(FormatSize(0), "0 B");
  EXPECT_EQ(FormatSize(1023), "1023 B");
  EXPECT_EQ(FormatSize(1024), "1.0 KiB");
  EXPECT_EQ(FormatSize(1536), "1.5 KiB");
  EXPECT_EQ(FormatSize(uint64_t{128} << 20), "128.0 MiB");
  EXPECT_EQ(FormatSize(UINT64_MAX), "16.0 EiB");
}

TEST(FormatSizeTest, RoundsIntoTheNextUnit) {
  EXPECT_EQ(FormatSize((1 << 20) - 1), "1.0 MiB");
  EXPECT_EQ(FormatSize((1 << 30) - 1), "1.0 GiB");
}

TEST(FormatDurationTest, ChangesItsFormWithTheLength) {
  EXPECT_EQ(FormatDuration(0), "0.0 ms");
  EXPECT_EQ(FormatDuration(1), "0 us");
  EXPECT_EQ(FormatDuration(12'345), "12 us");
  EXPECT_EQ(FormatDuration(12'300'000), "12.3 ms");
  EXPECT_EQ(FormatDuration(999'900'000), "999.9 ms");
  EXPECT_EQ(FormatDuration(kSecond), "1.00 s");
  EXPECT_EQ(FormatDuration(3'450'000'000), "3.45 s");
  EXPECT_EQ(FormatDuration(60 * kSecond), "1:00.0");
  EXPECT_EQ(FormatDuration(123'400'000'000), "2:03.4");
  EXPECT_EQ(FormatDuration(3723 * kSecond), "1:02:03");
  EXPECT_EQ(FormatDuration(100 * 3600 * kSecond), "100:00:00");
}

TEST(FormatDurationTest, RoundsIntoTheNextForm) {
  EXPECT_EQ(FormatDuration(999'400), "999 us");
  EXPECT_EQ(FormatDuration(999'600), "1.0 ms");
  EXPECT_EQ(FormatDuration(999'990'000), "1.00 s");
  EXPECT_EQ(FormatDuration(59'999'000'000), "1:00.0");
  EXPECT_EQ(FormatDuration(119'960'000'000), "2:00.0");
  EXPECT_EQ(FormatDuration(3599'960'000'000), "1:00:00");
}

TEST(FormatDurationTest, AcceptsAnyNumber) { EXPECT_FALSE(FormatDuration(UINT64_MAX).empty()); }

TEST(FormatCountTest, GroupsByThousands) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(123456), "123,456");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(UINT64_MAX), "18,446,744,073,709,551,615");
}

}  // namespace
}  // namespace util
