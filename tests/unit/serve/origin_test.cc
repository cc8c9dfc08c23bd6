// SPDX-License-Identifier: BSD-2-Clause
#include "serve/origin.h"

#include <gtest/gtest.h>

namespace serve {
namespace {

std::string Origin(const char* url) {
  const auto origin = OriginOf(url);
  return origin ? *origin : "";
}

TEST(OriginTest, ConsistsOfSchemeHostAndPort) {
  EXPECT_EQ(Origin("https://ui.perfetto.dev"), "https://ui.perfetto.dev");
  EXPECT_EQ(Origin("https://ui.perfetto.dev/#!/?url=x"), "https://ui.perfetto.dev");
  EXPECT_EQ(Origin("HTTP://Localhost:8080/viewer/"), "http://localhost:8080");
  EXPECT_EQ(Origin("https://host:443/"), "https://host");
  EXPECT_EQ(Origin("http://host:80?x"), "http://host");
  EXPECT_EQ(Origin("http://host:443"), "http://host:443");
}

TEST(OriginTest, RefusesOtherAddresses) {
  for (const char* url : {"", "null", "ui.perfetto.dev", "file:///etc/passwd", "javascript://x",
                          "https://", "https:///x", "http://:80", "https://a b",
                          "https://h\r\nX: y", "https://user@host", "https://host\"", "http://*"}) {
    EXPECT_EQ(Origin(url), "") << url;
  }
}

TEST(OriginTest, MakesNamesForUrls) {
  EXPECT_EQ(UrlNameOf("/tmp/my trace#1.fxt"), "my_trace_1.fxt");
  EXPECT_EQ(UrlNameOf("trace.fxt.gz"), "trace.fxt.gz");
  EXPECT_EQ(UrlNameOf("folder/"), "trace");
}

}  // namespace
}  // namespace serve
