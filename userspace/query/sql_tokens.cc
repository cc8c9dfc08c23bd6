// SPDX-License-Identifier: BSD-2-Clause
#include "query/sql_tokens.h"

#include <algorithm>
#include <array>

namespace query {
namespace {

constexpr size_t kMaxDepth = 1000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c) || c == '$'; }
bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Bytes of spaces and comments that `sql` begins with.
size_t SkippedOf(std::string_view sql) {
  if (IsBlank(sql[0])) return 1;
  if (sql.starts_with("--")) return std::min(sql.find('\n'), sql.size());
  if (sql.starts_with("/*")) {
    const size_t end = sql.find("*/", 2);
    return end == std::string_view::npos ? sql.size() : end + 2;
  }
  return 0;
}

// Bytes of what is in quotes, in which two of them stand for one; 0 without an end.
size_t QuotedOf(std::string_view sql) {
  const char quote = sql[0] == '[' ? ']' : sql[0];
  for (size_t at = 1; at < sql.size(); ++at) {
    if (sql[at] != quote) continue;
    if (quote != ']' && at + 1 < sql.size() && sql[at + 1] == quote) {
      ++at;
    } else {
      return at + 1;
    }
  }
  return 0;
}

size_t NumberOf(std::string_view sql) {
  size_t at = 0;
  while (at < sql.size()) {
    const bool is_exponent = (sql[at] == '+' || sql[at] == '-') && Lower(sql[at - 1]) == 'e';
    if (!IsNamePart(sql[at]) && sql[at] != '.' && !(at > 0 && is_exponent)) break;
    ++at;
  }
  return at;
}

size_t SignOf(std::string_view sql) {
  static constexpr std::array<std::string_view, 10> kLong = {
      "->>", "||", "<>", "!=", "==", "<=", ">=", "<<", ">>", "->"};
  for (const std::string_view sign : kLong) {
    if (sql.starts_with(sign)) return sign.size();
  }
  return std::string_view("()+-*/%&|~<>=.,;").find(sql[0]) == std::string_view::npos ? 0 : 1;
}

}  // namespace

bool SqlToken::Is(std::string_view keyword) const {
  return kind == Kind::kWord &&
         std::equal(source.begin(), source.end(), keyword.begin(), keyword.end(),
                    [](char a, char b) { return Lower(a) == Lower(b); });
}

std::string SqlToken::Value() const {
  std::string value;
  if (kind == Kind::kWord) {
    for (const char c : source) value += Lower(c);
    return value;
  }
  if (kind != Kind::kText && kind != Kind::kQuotedName) return std::string(source);
  for (size_t at = 1; at + 1 < source.size(); ++at) {
    value += kind == Kind::kText ? source[at] : Lower(source[at]);
    if (source[at] == source[0]) ++at;
  }
  return value;
}

std::vector<SqlToken> TokensOf(std::string_view sql) {
  std::vector<SqlToken> tokens;
  size_t depth = 0;
  while (!sql.empty()) {
    if (const size_t skipped = SkippedOf(sql); skipped != 0) {
      sql.remove_prefix(skipped);
      continue;
    }
    SqlToken token{.depth = depth};
    size_t size = 0;
    const char first = sql[0];
    if (first == '\'' || first == '"' || first == '`' || first == '[') {
      token.kind = first == '\'' ? SqlToken::Kind::kText : SqlToken::Kind::kQuotedName;
      size = QuotedOf(sql);
    } else if (IsDigit(first) || (first == '.' && sql.size() > 1 && IsDigit(sql[1]))) {
      token.kind = SqlToken::Kind::kNumber;
      size = NumberOf(sql);
    } else if (IsNameStart(first)) {
      token.kind = SqlToken::Kind::kWord;
      while (size < sql.size() && IsNamePart(sql[size])) ++size;
    } else {
      size = SignOf(sql);
    }
    if (size == 0) return {};
    token.source = sql.substr(0, size);
    if (token.IsSign("(") && ++depth > kMaxDepth) return {};
    if (token.IsSign(")")) {
      if (depth == 0) return {};
      token.depth = --depth;
    }
    tokens.push_back(token);
    sql.remove_prefix(size);
  }
  return depth == 0 ? tokens : std::vector<SqlToken>();
}

}  // namespace query
