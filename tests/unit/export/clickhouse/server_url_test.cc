// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/server_url.h"

#include <gtest/gtest.h>

namespace exporting {
namespace {

TEST(ServerUrl, ParsesTheParts) {
  const auto plain = ServerUrl::Parse("http://fleet");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->host, "fleet");
  EXPECT_EQ(plain->port, "8123");
  const auto whole = ServerUrl::Parse("http://me:a:b@[::1]:9000/");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->user, "me");
  EXPECT_EQ(whole->password, "a:b");
  EXPECT_EQ(whole->host, "::1");
  EXPECT_EQ(whole->port, "9000");
  EXPECT_EQ(whole->Shown(), "http://[::1]:9000");
  EXPECT_EQ(whole->Authority(), "[::1]:9000");
}

// An unescaped slash or at sign would end the password.
TEST(ServerUrl, DecodesUserAndPassword) {
  const auto url = ServerUrl::Parse("http://m%65:%2Fp%40ss%3a%25%20%c3%A9@fleet");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->user, "me");
  EXPECT_EQ(url->password, "/p@ss:% \xc3\xa9");
  EXPECT_EQ(url->host, "fleet");
  for (const char* wrong : {"http://a:50%@h", "http://a:%4@h", "http://a:%g0@h", "http://a:%-1@h",
                            "http://a:b%0d%0aX-Other:c@h", "http://a%00@h", "http://a%7F@h"}) {
    EXPECT_FALSE(ServerUrl::Parse(wrong).ok()) << wrong;
  }
}

TEST(ServerUrl, RefusesInvalidAddresses) {
  for (const char* url :
       {"", "fleet:8123", "https://fleet", "http://", "http://a:0", "http://a:65536", "http://a:1x",
        "http://a/b", "http://[::1", "http://a b", "http://a\r\nX: y"}) {
    EXPECT_FALSE(ServerUrl::Parse(url).ok()) << url;
  }
}

}  // namespace
}  // namespace exporting
