// SPDX-License-Identifier: BSD-2-Clause
// The tokens of a statement in SQLite's SQL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace query {

struct SqlToken {
  enum class Kind : uint8_t { kWord, kQuotedName, kText, kNumber, kSign };

  Kind kind = Kind::kSign;
  std::string_view source = {};  // as written
  size_t depth = 0;              // parentheses around it; a parenthesis itself counts as outside

  // True if it is this keyword, without quotes. `keyword` is in capitals.
  bool Is(std::string_view keyword) const;
  bool IsSign(std::string_view sign) const { return kind == Kind::kSign && source == sign; }
  bool IsName() const { return kind == Kind::kWord || kind == Kind::kQuotedName; }
  // A name in lower case, or the characters of a text, without quotes.
  std::string Value() const;
};

// Without spaces and comments. Empty if there is an invalid token or an unmatched parenthesis. The
// tokens point into `sql`.
std::vector<SqlToken> TokensOf(std::string_view sql);

}  // namespace query
