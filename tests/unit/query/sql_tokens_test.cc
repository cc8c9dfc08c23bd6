// SPDX-License-Identifier: BSD-2-Clause
#include "query/sql_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace query {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> SourcesOf(std::string_view sql) {
  std::vector<std::string> sources;
  for (const SqlToken& token : TokensOf(sql)) sources.emplace_back(token.source);
  return sources;
}

TEST(SqlTokensTest, LeavesOutSpacesAndComments) {
  EXPECT_THAT(SourcesOf("SELECT a -- all of it\n FROM /* the ; table */ b"),
              ElementsAre("SELECT", "a", "FROM", "b"));
}

TEST(SqlTokensTest, ATextIsOneTokenWithItsQuotes) {
  const auto tokens = TokensOf("'it''s (a text'");
  ASSERT_EQ(tokens.size(), 1u);
  EXPECT_EQ(tokens[0].kind, SqlToken::Kind::kText);
  EXPECT_EQ(tokens[0].Value(), "it's (a text");
}

TEST(SqlTokensTest, AQuotedNameIsNoKeyword) {
  const auto tokens = TokensOf("\"Select\" select");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_FALSE(tokens[0].Is("SELECT"));
  EXPECT_TRUE(tokens[0].IsName());
  EXPECT_EQ(tokens[0].Value(), "select");
  EXPECT_TRUE(tokens[1].Is("SELECT"));
}

TEST(SqlTokensTest, AParenthesisCountsAsOutside) {
  const auto tokens = TokensOf("a(b(c))");
  std::vector<size_t> depths;
  for (const SqlToken& token : tokens) depths.push_back(token.depth);
  EXPECT_THAT(depths, ElementsAre(0, 0, 1, 1, 2, 1, 0));
}

TEST(SqlTokensTest, WhatHasNoEndIsNothing) {
  for (const char* sql : {"SELECT (a", "a)", "'text", "\"name"}) {
    EXPECT_THAT(TokensOf(sql), IsEmpty()) << sql;
  }
}

}  // namespace
}  // namespace query
