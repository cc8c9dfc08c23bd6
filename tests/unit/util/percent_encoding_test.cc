// SPDX-License-Identifier: BSD-2-Clause
#include "util/percent_encoding.h"

#include <gtest/gtest.h>

namespace util {
namespace {

TEST(PercentEncoding, EncodesAllButUnreservedBytes) {
  EXPECT_EQ(PercentEncoded("http://a:1/b c~"), "http%3A%2F%2Fa%3A1%2Fb%20c~");
  EXPECT_EQ(PercentEncoded("a B&'\xff-._~"), "a%20B%26%27%FF-._~");
  EXPECT_EQ(PercentEncoded("\xc3\xa4"), "%C3%A4");
}

}  // namespace
}  // namespace util
