// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/decimal_time.h"

#include <gtest/gtest.h>

#include <string>

namespace importer {
namespace {

TEST(DecimalTimeTest, KeepsNanoseconds) {
  EXPECT_EQ(NanosecondsOfMicroseconds("0"), 0);
  EXPECT_EQ(NanosecondsOfMicroseconds("12"), 12'000);
  EXPECT_EQ(NanosecondsOfMicroseconds("0.001"), 1);
  // At today's wall clock a double resolves a quarter of a microsecond.
  EXPECT_EQ(NanosecondsOfMicroseconds("1763927000123456.789"), 1'763'927'000'123'456'789);
  EXPECT_EQ(NanosecondsOfSeconds("1763927000.123456789"), 1'763'927'000'123'456'789);
  EXPECT_EQ(NanosecondsOfSeconds("12.345678"), 12'345'678'000);
}

TEST(DecimalTimeTest, RoundsFurtherDecimals) {
  EXPECT_EQ(NanosecondsOfMicroseconds("1.0004"), 1'000);
  EXPECT_EQ(NanosecondsOfMicroseconds("1.0005"), 1'001);
  EXPECT_EQ(NanosecondsOfMicroseconds("1.00049999999999999999999999999999"), 1'000);
  EXPECT_EQ(NanosecondsOfMicroseconds("0.9999999"), 1'000);
  EXPECT_EQ(NanosecondsOfMicroseconds("-1.0005"), -1'001);
}

TEST(DecimalTimeTest, AcceptsNegativeTimes) {
  EXPECT_EQ(NanosecondsOfMicroseconds("-0"), 0);
  EXPECT_EQ(NanosecondsOfMicroseconds("-2.5"), -2'500);
  EXPECT_EQ(NanosecondsOfSeconds("-1"), -1'000'000'000);
}

TEST(DecimalTimeTest, AcceptsExponents) {
  EXPECT_EQ(NanosecondsOfMicroseconds("1e3"), 1'000'000);
  EXPECT_EQ(NanosecondsOfMicroseconds("1.5E-3"), 2);
  EXPECT_EQ(NanosecondsOfMicroseconds("-2e0"), -2'000);
  EXPECT_EQ(NanosecondsOfMicroseconds("1e300"), std::nullopt);
  EXPECT_EQ(NanosecondsOfMicroseconds("1e99999999999"), std::nullopt);
  EXPECT_EQ(NanosecondsOfMicroseconds("1e"), std::nullopt);
}

TEST(DecimalTimeTest, RejectsOtherText) {
  for (const char* text : {"", "-", ".", ".5", "+1", " 1", "1 ", "1.2.3", "1,5", "nan", "inf",
                           "0x10", "--1", "1e5x"}) {
    EXPECT_EQ(NanosecondsOfMicroseconds(text), std::nullopt) << text;
    EXPECT_EQ(NanosecondsOfSeconds(text), std::nullopt) << text;
  }
}

// 64 bits would overflow to an arbitrary time.
TEST(DecimalTimeTest, RejectsTimesOutOfRange) {
  for (int digits = 17; digits < 60; ++digits) {
    EXPECT_EQ(NanosecondsOfMicroseconds(std::string(static_cast<size_t>(digits), '9')),
              std::nullopt)
        << digits;
    EXPECT_EQ(NanosecondsOfMicroseconds("-" + std::string(static_cast<size_t>(digits), '9')),
              std::nullopt)
        << digits;
  }
  EXPECT_TRUE(NanosecondsOfMicroseconds("2000000000000000").has_value());
  EXPECT_EQ(NanosecondsOfSeconds("99999999999"), std::nullopt);
}

}  // namespace
}  // namespace importer
