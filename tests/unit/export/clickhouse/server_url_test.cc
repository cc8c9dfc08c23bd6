// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/server_url.h"

#include <gtest/gtest.h>

namespace exporting {
namespace {

TEST(ServerUrl, PartsOfAnAddress) {
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

TEST(ServerUrl, WhatIsNone) {
  for (const char* url :
       {"", "fleet:8123", "https://fleet", "http://", "http://a:0", "http://a:65536", "http://a:1x",
        "http://a/b", "http://[::1", "http://a b", "http://a\r\nX: y"}) {
    EXPECT_FALSE(ServerUrl::Parse(url).ok()) << url;
  }
}

TEST(ServerUrl, Encodes) { EXPECT_EQ(PercentEncoded("a B&'\xff-._~"), "a%20B%26%27%FF-._~"); }

}  // namespace
}  // namespace exporting
