// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/message_splitter.h"

#include <gtest/gtest.h>

namespace control {
namespace {

using std::string_literals::operator""s;

TEST(MessageSplitterTest, FindsMessagesInAnyFragments) {
  const std::string stream = "one\0two\0\0three"s;
  for (size_t cut = 0; cut <= stream.size(); ++cut) {
    MessageSplitter splitter;
    ASSERT_TRUE(splitter.Append(stream.substr(0, cut)));
    std::vector<std::string> found;
    while (auto message = splitter.Next()) found.push_back(*message);
    ASSERT_TRUE(splitter.Append(stream.substr(cut)));
    while (auto message = splitter.Next()) found.push_back(*message);
    EXPECT_EQ(found, (std::vector<std::string>{"one", "two", ""})) << cut;
    EXPECT_TRUE(splitter.has_part());
    EXPECT_EQ(splitter.size(), 5u);
  }
}

TEST(MessageSplitterTest, RefusesAMessageThatIsTooLong) {
  MessageSplitter longest;
  EXPECT_TRUE(longest.Append(std::string(MessageSplitter::kMaxMessage, 'x')));
  EXPECT_TRUE(longest.Append("\0"s));
  EXPECT_EQ(longest.Next()->size(), MessageSplitter::kMaxMessage);
  MessageSplitter splitter;
  EXPECT_TRUE(splitter.Append(std::string(MessageSplitter::kMaxMessage, 'x')));
  EXPECT_FALSE(splitter.Append("x"));
  EXPECT_EQ(splitter.size(), 0u) << "and keeps nothing of it";
  EXPECT_FALSE(splitter.Append("\0"s));
  EXPECT_EQ(splitter.Next(), std::nullopt);
}

}  // namespace
}  // namespace control
