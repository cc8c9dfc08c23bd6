// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/draw/label.h"

#include <gtest/gtest.h>

namespace analyze {
namespace {

TEST(LabelTest, WideLettersAreWider) {
  EXPECT_EQ(LabelWidth(""), 0);
  EXPECT_LT(LabelWidth("iiii"), LabelWidth("nnnn"));
  EXPECT_LT(LabelWidth("nnnn"), LabelWidth("WWWW"));
  // A character, not its bytes.
  EXPECT_LT(LabelWidth("\xc3\xa4"), 2 * LabelWidth("W"));
}

TEST(LabelTest, FitsOrIsCut) {
  EXPECT_EQ(FittedLabel("postgres", 1000, 10), "postgres");
  for (const double room : {0.0, 10.0, 25.0, 31.7, 50.0}) {
    const std::string fitted = FittedLabel("postgres: a long name", room, 10);
    EXPECT_LE(LabelWidth(fitted) * 10, room);
    EXPECT_TRUE(fitted.empty() || fitted.ends_with("…")) << fitted;
  }
  EXPECT_EQ(FittedLabel("postgres", 12, 10), "");
  // Cut between characters.
  EXPECT_EQ(FittedLabel("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 58, 10),
            "\xc3\xa4\xc3\xa4\xc3\xa4…");
}

TEST(LabelTest, IsTextInXml) {
  EXPECT_EQ(XmlText("</text>&\"x\""), "&lt;/text&gt;&amp;&quot;x&quot;");
  EXPECT_EQ(XmlText(std::string("a\x01\xff\0b", 5)), "a???b");
  EXPECT_EQ(XmlText("\xef\xbf\xbe"), "?");
  EXPECT_EQ(XmlText("\xe6\xbc\xa2"), "\xe6\xbc\xa2");
}

}  // namespace
}  // namespace analyze
