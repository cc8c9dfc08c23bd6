// SPDX-License-Identifier: BSD-2-Clause
#include "query/group_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <span>
#include <utility>

#include "query/sql_tokens.h"

namespace query {
namespace {

using tables::Column;
using Tokens = std::span<const SqlToken>;

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Words that end the part of a SELECT before them.
bool EndsSelect(const SqlToken& token) {
  return token.IsSign(";") || token.Is("UNION") || token.Is("EXCEPT") || token.Is("INTERSECT");
}

// Parts between commas of the outermost depth.
std::vector<Tokens> SplitAt(Tokens tokens, size_t depth, std::string_view sign) {
  std::vector<Tokens> parts;
  size_t begin = 0;
  for (size_t i = 0; i <= tokens.size(); ++i) {
    if (i < tokens.size() && !(tokens[i].depth == depth && tokens[i].IsSign(sign))) continue;
    parts.push_back(tokens.subspan(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

bool SameTokens(Tokens a, Tokens b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const SqlToken& x, const SqlToken& y) {
    return x.kind == y.kind && x.Value() == y.Value();
  });
}

std::string Quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

// Words of expressions that are no names of columns.
bool IsOperatorWord(const SqlToken& token) {
  static constexpr std::array<std::string_view, 34> kWords = {
      "AND",  "OR",   "NOT",     "NULL",      "IS",    "IN",        "LIKE",    "GLOB",     "BETWEEN",
      "CASE", "WHEN", "THEN",    "ELSE",      "END",   "CAST",      "AS",      "INTEGER",  "REAL",
      "TEXT", "ASC",  "DESC",    "NULLS",     "FIRST", "LAST",      "OVER",    "PARTITION", "BY",
      "ORDER", "LIMIT", "OFFSET", "ESCAPE",   "TRUE",  "FALSE",     "DISTINCT"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return token.Is(word); });
}

// Reads one SELECT.
class SelectReader {
 public:
  // `tokens` begins with SELECT, all behind it up to its end are of its depth or deeper.
  SelectReader(std::string_view statement, Tokens tokens)
      : statement_(statement), tokens_(tokens), depth_(tokens.front().depth) {}

  // One with ORDER BY a column and LIMIT, all of whose rows are of the table.
  std::optional<TopSelect> ReadTop() {
    if (!FindClauses() || has_keys_ || !having_.empty() || !ReadFrom() || !ReadWhere()) {
      return std::nullopt;
    }
    // "BY column [DESC] [, ...] LIMIT n [OFFSET m]", behind ORDER.
    if (rest_.size() < 5 || !rest_[0].Is("ORDER") || !rest_[1].Is("BY")) return std::nullopt;
    size_t limit = 2;
    while (limit < rest_.size() && !(rest_[limit].depth == depth_ && rest_[limit].Is("LIMIT"))) ++limit;
    const Tokens by = SplitAt(rest_.subspan(2, limit - 2), depth_, ",").front();
    if (limit + 1 >= rest_.size() || by.empty()) return std::nullopt;
    TopSelect top{.table = query_.table, .conditions = query_.conditions};
    const bool has_direction = by.back().Is("DESC") || by.back().Is("ASC");
    const auto column = ColumnOf(by.first(by.size() - (has_direction ? 1 : 0)));
    if (!column || info_->columns[*column].type != tables::Type::kInteger) return std::nullopt;
    top.column = *column;
    top.is_descending = by.back().Is("DESC");
    const Tokens numbers = rest_.subspan(limit + 1);
    const auto rows = WholeNumber(numbers[0].source);
    const auto skipped = numbers.size() == 3 && numbers[1].Is("OFFSET") ? WholeNumber(numbers[2].source)
                         : numbers.size() == 1                         ? std::optional<int64_t>(0)
                                                                       : std::nullopt;
    if (!rows || !skipped || *rows <= 0 || *rows > kMaxTop || *skipped > kMaxTop) return std::nullopt;
    top.rows = static_cast<uint64_t>(*rows + *skipped);
    // What sums rows up, or an alias of the column's name, makes other rows of them.
    for (const SqlToken& token : list_) {
      if (token.IsSign("(") || (token.IsName() && token.Value() == info_->columns[*column].name &&
                                !IsPlainItem(token))) {
        return std::nullopt;
      }
    }
    top.at = static_cast<size_t>(rest_.front().source.data() - statement_.data());
    top.has_where = !where_.empty();
    if (top.has_where) {
      top.where_begin = static_cast<size_t>(where_.front().source.data() - statement_.data());
    }
    return top;
  }

  std::optional<GroupSelect> Read(size_t number) {
    if (!FindClauses() || !ReadFrom() || !ReadItems() || !ReadKeys() || !ReadWhere()) {
      return std::nullopt;
    }
    std::string text = "SELECT ";
    for (const Item& item : items_) {
      if (&item != items_.data()) text += ", ";
      auto expression = Rewritten(item.expression);
      if (!expression) return std::nullopt;
      text += *expression + " AS " + NameOfItem(item);
    }
    text += fmt::format(" FROM temp.{}{} AS {}", kGroupTable, number, Quoted(alias_));
    if (!having_.empty()) {
      auto condition = Rewritten(having_);
      if (!condition) return std::nullopt;
      text += " WHERE " + *condition;
    }
    if (!rest_.empty()) {
      auto rest = Rewritten(rest_);
      if (!rest) return std::nullopt;
      text += ' ' + *rest;
    }
    // Without either it is no sum of rows.
    if (query_.values.empty() && !has_keys_) return std::nullopt;
    GroupSelect select{.query = std::move(query_), .text = std::move(text)};
    select.begin = static_cast<size_t>(tokens_.front().source.data() - statement_.data());
    const std::string_view last = tokens_.back().source;
    select.end = static_cast<size_t>(last.data() + last.size() - statement_.data());
    return select;
  }

 private:
  struct Item {
    Tokens expression;
    std::string alias;        // in lower case; empty: none
    std::string_view source;  // of the alias
  };

  // As SQLite names it.
  std::string NameOfItem(const Item& item) const {
    if (!item.alias.empty()) return std::string(item.source);
    if (const auto column = ColumnOf(item.expression)) {
      return Quoted(info_->columns[*column].name);
    }
    return Quoted(SourceOf(item.expression));
  }

  std::string_view SourceOf(Tokens tokens) const {
    const char* const begin = tokens.front().source.data();
    const std::string_view last = tokens.back().source;
    return {begin, static_cast<size_t>(last.data() + last.size() - begin)};
  }

  // Whether a name in the list of columns is not behind AS or another name.
  bool IsPlainItem(const SqlToken& token) const {
    const size_t at = static_cast<size_t>(&token - list_.data());
    return at == 0 || (!list_[at - 1].IsName() && !list_[at - 1].IsSign(")") &&
                       list_[at - 1].kind != SqlToken::Kind::kNumber);
  }

  bool FindClauses() {
    static constexpr std::array<std::string_view, 6> kClauses = {"FROM",   "WHERE", "GROUP",
                                                                 "HAVING", "ORDER", "LIMIT"};
    std::array<size_t, kClauses.size() + 1> at;
    at.fill(tokens_.size());
    size_t last = 0;
    for (size_t i = 1; i < tokens_.size(); ++i) {
      if (tokens_[i].depth != depth_) continue;
      if (tokens_[i].Is("WINDOW") || tokens_[i].Is("JOIN") || tokens_[i].Is("FILTER")) return false;
      for (size_t clause = last; clause < kClauses.size(); ++clause) {
        if (!tokens_[i].Is(kClauses[clause])) continue;
        at[clause] = i;
        last = clause + 1;
        break;
      }
    }
    // A clause ends where the next one that is there begins.
    const auto part = [&](size_t clause, size_t words) {
      if (at[clause] == tokens_.size()) return Tokens();
      size_t end = tokens_.size();
      for (size_t next = clause + 1; next < at.size(); ++next) end = std::min(end, at[next]);
      if (at[clause] + words > end) return Tokens();
      return tokens_.subspan(at[clause] + words, end - at[clause] - words);
    };
    if (at[0] == tokens_.size()) return false;
    list_ = tokens_.subspan(1, at[0] - 1);
    from_ = part(0, 1);
    where_ = part(1, 1);
    group_ = part(2, 2);
    having_ = part(3, 1);
    rest_ = tokens_.subspan(std::min(at[4], at[5]));
    has_keys_ = at[2] != tokens_.size();
    if (has_keys_ && (group_.empty() || !tokens_[at[2] + 1].Is("BY"))) return false;
    if (at[1] != tokens_.size() && where_.empty()) return false;
    if (at[3] != tokens_.size() && (having_.empty() || !has_keys_)) return false;
    return !list_.empty() && !list_.front().Is("DISTINCT") && !list_.front().Is("ALL");
  }

  bool ReadFrom() {
    if (from_.empty() || from_.size() > 3 || !from_.front().IsName()) return false;
    const auto table = tables::TableNamed(from_.front().Value());
    if (!table) return false;
    query_.table = *table;
    info_ = &InfoOf(*table);
    alias_ = from_.front().Value();
    if (from_.size() == 1) return true;
    if (from_.size() == 3 && !from_[1].Is("AS")) return false;
    alias_ = from_.back().Value();
    return from_.back().IsName() && !from_.back().Is("AS") && !from_.back().Is("NOT") &&
           !from_.back().Is("INDEXED");
  }

  bool ReadItems() {
    for (Tokens part : SplitAt(list_, depth_, ",")) {
      Item item;
      const size_t size = part.size();
      if (size > 2 && part[size - 2].Is("AS") && part[size - 2].depth == depth_) {
        if (!part.back().IsName() && part.back().kind != SqlToken::Kind::kText) return false;
        item.source = part.back().source;
        item.alias = part.back().Value();
        part = part.first(size - 2);
      } else if (size > 1 && part.back().IsName() && !IsOperatorWord(part.back()) &&
                 (part[size - 2].IsSign(")") || part[size - 2].kind == SqlToken::Kind::kNumber ||
                  (part[size - 2].IsName() && !IsOperatorWord(part[size - 2])))) {
        item.source = part.back().source;
        item.alias = part.back().Value();
        part = part.first(size - 1);
      }
      if (part.empty() || part.front().IsSign("*")) return false;
      item.expression = part;
      // A column of that name would be meant by some clauses, and the alias by others.
      if (!item.alias.empty() && ColumnNamed(item.alias)) {
        const auto column = ColumnOf(item.expression);
        if (!column || info_->columns[*column].name != item.alias) return false;
      }
      items_.push_back(std::move(item));
    }
    return true;
  }

  std::optional<uint8_t> ColumnNamed(std::string_view name) const {
    for (uint8_t i = 0; i < info_->columns.size(); ++i) {
      if (info_->columns[i].name == name) return i;
    }
    return std::nullopt;
  }

  // The column that all of the tokens are, perhaps with its table.
  std::optional<uint8_t> ColumnOf(Tokens tokens) const {
    if (tokens.size() == 3 && tokens[0].IsName() && tokens[1].IsSign(".") &&
        tokens[0].Value() == alias_) {
      tokens = tokens.subspan(2);
    }
    if (tokens.size() != 1 || !tokens[0].IsName()) return std::nullopt;
    return ColumnNamed(tokens[0].Value());
  }

  bool ReadKeys() {
    if (!has_keys_) return true;
    for (Tokens term : SplitAt(group_, depth_, ",")) {
      if (term.empty()) return false;
      std::optional<uint8_t> column = ColumnOf(term);
      if (!column && term.size() == 1) {
        if (term[0].kind == SqlToken::Kind::kNumber) {
          const auto place = WholeNumber(term[0].source);
          if (!place || *place < 1 || *place > static_cast<int64_t>(items_.size())) return false;
          term = items_[static_cast<size_t>(*place) - 1].expression;
        } else if (term[0].IsName()) {
          const auto found = std::find_if(items_.begin(), items_.end(), [&](const Item& item) {
            return item.alias == term[0].Value();
          });
          if (found == items_.end()) return false;
          term = found->expression;
        }
        column = ColumnOf(term);
      }
      GroupKey key;
      if (column) {
        key.column = *column;
        if (info_->columns[*column].type == tables::Type::kReal) return false;
      } else {
        size_t at = 0;
        std::optional<uint8_t> of;
        if (!ReadSum(term, at, key.steps, of) || at != term.size() || !of) return false;
        key.column = *of;
        expressions_.emplace_back(term, query_.keys.size());
      }
      query_.keys.push_back(std::move(key));
    }
    return true;
  }

  // Arithmetic of whole numbers with one column. Appends its steps.
  bool ReadSum(Tokens tokens, size_t& at, std::vector<KeyStep>& steps, std::optional<uint8_t>& of) {
    return ReadOperation(tokens, at, steps, of, true);
  }
  bool ReadOperation(Tokens tokens, size_t& at, std::vector<KeyStep>& steps,
                     std::optional<uint8_t>& of, bool is_sum) {
    const auto operand = [&] {
      return is_sum ? ReadOperation(tokens, at, steps, of, false)
                    : ReadFactor(tokens, at, steps, of);
    };
    if (!operand()) return false;
    while (at < tokens.size()) {
      KeyStep step;
      if (is_sum && tokens[at].IsSign("+")) {
        step.kind = KeyStep::Kind::kAdd;
      } else if (is_sum && tokens[at].IsSign("-")) {
        step.kind = KeyStep::Kind::kSubtract;
      } else if (!is_sum && tokens[at].IsSign("*")) {
        step.kind = KeyStep::Kind::kMultiply;
      } else if (!is_sum && tokens[at].IsSign("/")) {
        step.kind = KeyStep::Kind::kDivide;
      } else if (!is_sum && tokens[at].IsSign("%")) {
        step.kind = KeyStep::Kind::kModulo;
      } else {
        break;
      }
      ++at;
      if (!operand()) return false;
      steps.push_back(step);
    }
    return steps.size() < kMaxSteps;
  }
  bool ReadFactor(Tokens tokens, size_t& at, std::vector<KeyStep>& steps,
                  std::optional<uint8_t>& of) {
    if (at == tokens.size()) return false;
    const SqlToken& token = tokens[at];
    if (token.kind == SqlToken::Kind::kNumber) {
      const auto number = WholeNumber(token.source);
      if (!number) return false;
      steps.push_back({.kind = KeyStep::Kind::kNumber, .number = *number});
      ++at;
      return true;
    }
    if (token.IsSign("(")) {
      if (at + 5 < tokens.size() && tokens[at + 1].Is("SELECT") && tokens[at + 3].Is("FROM") &&
          tokens[at + 4].Is("CAPTURES") && tokens[at + 5].IsSign(")")) {
        const bool is_begin = tokens[at + 2].Is("BEGIN_TS");
        if (!is_begin && !tokens[at + 2].Is("END_TS")) return false;
        steps.push_back({.kind = is_begin ? KeyStep::Kind::kBegin : KeyStep::Kind::kEnd});
        at += 6;
        return true;
      }
      ++at;
      if (!ReadSum(tokens, at, steps, of) || at == tokens.size() || !tokens[at].IsSign(")")) {
        return false;
      }
      ++at;
      return true;
    }
    const size_t size = at + 2 < tokens.size() && tokens[at + 1].IsSign(".") ? 3 : 1;
    const auto column = ColumnOf(tokens.subspan(at, size));
    if (!column || (of && of != column)) return false;
    if (info_->columns[*column].type != tables::Type::kInteger) return false;
    of = column;
    steps.push_back({.kind = KeyStep::Kind::kColumn});
    at += size;
    return true;
  }

  bool ReadWhere() {
    size_t begin = 0;
    for (size_t i = 0; i <= where_.size(); ++i) {
      if (i < where_.size()) {
        if (where_[i].depth == depth_ && where_[i].Is("OR")) return false;
        if (where_[i].depth != depth_ || !where_[i].Is("AND")) continue;
        // The AND of a BETWEEN.
        if (i >= begin + 2 && where_[i - 2].Is("BETWEEN")) continue;
      }
      if (where_.empty()) return true;
      if (!ReadCondition(where_.subspan(begin, i - begin))) return false;
      begin = i + 1;
    }
    return true;
  }

  bool ReadCondition(Tokens term) {
    size_t size = term.size() > 2 && term[1].IsSign(".") ? 3 : 1;
    if (term.size() < size) return false;
    const auto column = ColumnOf(term.first(size));
    if (!column) return false;
    const tables::Type type = info_->columns[*column].type;
    if (type == tables::Type::kReal) return false;
    const bool is_text = type == tables::Type::kText;
    ColumnCondition condition{.column = *column, .is_text = is_text};
    const Tokens rest = term.subspan(size);
    const auto add = [&](const SqlToken& value) {
      if (is_text != (value.kind == SqlToken::Kind::kText)) return false;
      if (is_text) {
        condition.texts.push_back(value.Value());
        return true;
      }
      const auto number = WholeNumber(value.source);
      if (value.kind != SqlToken::Kind::kNumber || !number) return false;
      condition.numbers.push_back(*number);
      return true;
    };
    const auto keep = [&] {
      query_.conditions.push_back(std::move(condition));
      return true;
    };
    if (rest.empty()) {  // true if it is not 0
      condition.kind = ColumnCondition::Kind::kNotIn;
      condition.numbers.push_back(0);
      return !is_text && keep();
    }
    if (rest[0].Is("IS") && rest.size() == 2 && rest[1].Is("NULL")) return keep();
    if (rest[0].Is("IS") && rest.size() == 3 && rest[1].Is("NOT") && rest[2].Is("NULL")) {
      condition.kind = ColumnCondition::Kind::kIsNotNull;
      return keep();
    }
    const bool is_not = rest[0].Is("NOT");
    const Tokens list = is_not ? rest.subspan(1) : rest;
    if (list.size() >= 4 && list[0].Is("IN") && list[1].IsSign("(") && list.back().IsSign(")")) {
      condition.kind = is_not ? ColumnCondition::Kind::kNotIn : ColumnCondition::Kind::kIn;
      for (const Tokens value : SplitAt(list.subspan(2, list.size() - 3), depth_ + 1, ",")) {
        if (value.size() != 1 || !add(value[0])) return false;
      }
      return keep();
    }
    if (rest[0].Is("BETWEEN") && rest.size() == 4 && rest[2].Is("AND") && !is_text) {
      if (!add(rest[1]) || !add(rest[3])) return false;
      condition.kind = ColumnCondition::Kind::kFromTo;
      condition.from = condition.numbers[0];
      condition.to = condition.numbers[1];
      return keep();
    }
    if (rest.size() != 2 || !add(rest[1])) return false;
    const std::string_view sign = rest[0].source;
    if (sign == "=" || sign == "==") {
      condition.kind = ColumnCondition::Kind::kIn;
      return keep();
    }
    if (sign == "<>" || sign == "!=") {
      condition.kind = ColumnCondition::Kind::kNotIn;
      return keep();
    }
    if (is_text) return false;
    condition.kind = ColumnCondition::Kind::kFromTo;
    const int64_t number = condition.numbers[0];
    if (sign == "<" && number != INT64_MIN) {
      condition.to = number - 1;
    } else if (sign == "<=") {
      condition.to = number;
    } else if (sign == ">" && number != INT64_MAX) {
      condition.from = number + 1;
    } else if (sign == ">=") {
      condition.from = number;
    } else {
      return false;
    }
    return keep();
  }

  // The number of the value that a call at `at` is; moves `at` behind it. None: it is no such call,
  // or one that is not understood (`fails`).
  std::optional<size_t> ReadValue(Tokens tokens, size_t& at, bool& fails) {
    static constexpr std::array<std::pair<std::string_view, GroupValue::Kind>, 7> kCalls = {{
        {"COUNT", GroupValue::Kind::kCountOf},
        {"SUM", GroupValue::Kind::kSum},
        {"MIN", GroupValue::Kind::kMin},
        {"MAX", GroupValue::Kind::kMax},
        {"AVG", GroupValue::Kind::kMean},
        {"QUANTILE", GroupValue::Kind::kQuantile},
        {"CONCURRENCY", GroupValue::Kind::kConcurrency},
    }};
    if (at + 2 >= tokens.size() || !tokens[at + 1].IsSign("(")) return std::nullopt;
    const auto call = std::find_if(kCalls.begin(), kCalls.end(),
                                   [&](const auto& each) { return tokens[at].Is(each.first); });
    const size_t depth = tokens[at].depth;
    size_t end = at + 2;
    while (end < tokens.size() && !(tokens[end].depth == depth && tokens[end].IsSign(")"))) ++end;
    if (end == tokens.size()) {
      fails = true;
      return std::nullopt;
    }
    const Tokens inner = tokens.subspan(at + 2, end - at - 2);
    const bool is_window = end + 1 < tokens.size() &&
                           (tokens[end + 1].Is("OVER") || tokens[end + 1].Is("FILTER"));
    if (call == kCalls.end()) {
      // Other aggregates are SQLite's, and so is what has one inside.
      static constexpr std::array<std::string_view, 12> kOthers = {
          "TOTAL", "GROUP_CONCAT", "STRING_AGG", "HISTOGRAM", "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT",
          "MEDIAN", "PERCENTILE", "PERCENTILE_CONT", "PERCENTILE_DISC", "JSONB_GROUP_ARRAY",
          "JSONB_GROUP_OBJECT"};
      fails = std::any_of(kOthers.begin(), kOthers.end(),
                          [&](std::string_view name) { return tokens[at].Is(name); });
      return std::nullopt;
    }
    const auto parts = SplitAt(inner, depth + 1, ",");
    // The smallest and largest of several values are no sums of rows.
    const bool is_scalar = parts.size() > 1 && (call->second == GroupValue::Kind::kMin ||
                                                call->second == GroupValue::Kind::kMax);
    if (is_scalar) return std::nullopt;
    fails = true;
    if (is_window) return std::nullopt;
    GroupValue value{.kind = call->second};
    if (inner.size() == 1 && inner[0].IsSign("*") && value.kind == GroupValue::Kind::kCountOf) {
      value.kind = GroupValue::Kind::kCount;
    } else {
      const auto column = ColumnOf(parts[0]);
      if (!column) return std::nullopt;
      value.column = *column;
      const bool is_number = info_->columns[*column].type == tables::Type::kInteger;
      if (!is_number && value.kind != GroupValue::Kind::kCountOf) return std::nullopt;
      if (value.kind == GroupValue::Kind::kQuantile) {
        if (parts.size() != 2 || parts[1].size() != 1) return std::nullopt;
        const std::string_view q = parts[1][0].source;
        const auto read = std::from_chars(q.data(), q.data() + q.size(), value.q);
        if (read.ec != std::errc() || read.ptr != q.data() + q.size()) return std::nullopt;
        if (!(value.q >= 0 && value.q <= 1)) return std::nullopt;
      } else if (value.kind == GroupValue::Kind::kConcurrency) {
        const auto lengths = parts.size() == 2 ? ColumnOf(parts[1]) : std::nullopt;
        if (!lengths || info_->columns[*lengths].type != tables::Type::kInteger) return std::nullopt;
        value.lengths = *lengths;
      } else if (parts.size() != 1) {
        return std::nullopt;
      }
    }
    fails = false;
    at = end + 1;
    const auto found = std::find(query_.values.begin(), query_.values.end(), value);
    const auto number = static_cast<size_t>(found - query_.values.begin());
    if (found == query_.values.end()) query_.values.push_back(value);
    return number;
  }

  bool IsKey(uint8_t column) const {
    return std::any_of(query_.keys.begin(), query_.keys.end(), [&](const GroupKey& key) {
      return key.column == column && key.steps.empty();
    });
  }

  // Whether a SELECT inside of an expression looks at nothing of this one.
  bool IsIndependent(Tokens tokens) const {
    return std::none_of(tokens.begin(), tokens.end(), [&](const SqlToken& token) {
      return token.IsName() && (ColumnNamed(token.Value()) || token.Value() == alias_);
    });
  }

  // An expression with columns of the groups in the place of calls and of keys.
  std::optional<std::string> Rewritten(Tokens tokens) {
    std::string text;
    const auto put = [&](std::string_view source) {
      if (!text.empty()) text += ' ';
      text += source;
    };
    for (size_t at = 0; at < tokens.size();) {
      const auto key = std::find_if(expressions_.begin(), expressions_.end(), [&](const auto& each) {
        return each.first.size() <= tokens.size() - at &&
               SameTokens(each.first, tokens.subspan(at, each.first.size()));
      });
      // Only where nothing binds stronger.
      if (key != expressions_.end()) {
        const bool is_alone = (at == 0 || tokens[at - 1].IsSign("(") || tokens[at - 1].IsSign(",") ||
                               tokens[at - 1].Is("BY")) &&
                              (at + key->first.size() == tokens.size() ||
                               tokens[at + key->first.size()].IsSign(")") ||
                               tokens[at + key->first.size()].IsSign(",") ||
                               tokens[at + key->first.size()].Is("DESC") ||
                               tokens[at + key->first.size()].Is("ASC") ||
                               tokens[at + key->first.size()].Is("LIMIT"));
        if (!is_alone) return std::nullopt;
        put(Quoted(NameOf(query_.keys[key->second], *info_, key->second)));
        at += key->first.size();
        continue;
      }
      const SqlToken& token = tokens[at];
      if (token.Is("SELECT")) {
        size_t end = at;
        while (end < tokens.size() && tokens[end].depth >= token.depth) ++end;
        if (!IsIndependent(tokens.subspan(at, end - at))) return std::nullopt;
        for (; at < end; ++at) put(tokens[at].source);
        continue;
      }
      bool fails = false;
      if (const auto value = ReadValue(tokens, at, fails)) {
        put(Quoted(NameOfValue(*value)));
        continue;
      }
      if (fails) return std::nullopt;
      const bool is_call = at + 1 < tokens.size() && tokens[at + 1].IsSign("(");
      const bool is_qualified = at + 2 < tokens.size() && tokens[at + 1].IsSign(".");
      if (token.IsName() && !is_call && !IsOperatorWord(token)) {
        const auto column = ColumnOf(tokens.subspan(at, is_qualified ? 3 : 1));
        const bool is_alias =
            !is_qualified && std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
              return item.alias == token.Value();
            });
        if (column ? !IsKey(*column) : !is_alias) return std::nullopt;
        if (is_qualified) {
          put(fmt::format("{}.{}", Quoted(alias_), Quoted(tokens[at + 2].Value())));
          at += 3;
          continue;
        }
      }
      // SQLite takes "name" for a text where it is no name: not here.
      put(token.source);
      ++at;
    }
    return text;
  }

  static constexpr size_t kMaxSteps = 16;
  static constexpr int64_t kMaxTop = 100'000;

  std::string_view statement_;
  Tokens tokens_;
  size_t depth_;
  Tokens list_, from_, where_, group_, having_, rest_;
  bool has_keys_ = false;
  const tables::TableInfo* info_ = nullptr;
  std::string alias_;
  std::vector<Item> items_;
  std::vector<std::pair<Tokens, size_t>> expressions_;  // keys that are no columns
  GroupQuery query_;
};

}  // namespace

std::string NameOf(const GroupKey& key, const tables::TableInfo& info, size_t number) {
  return key.steps.empty() ? std::string(info.columns[key.column].name)
                           : fmt::format("#k{}", number);
}

std::string NameOfValue(size_t number) { return fmt::format("#v{}", number); }

namespace {

// Whether a name of a table of the trace is another one's in a statement that begins with WITH.
bool HidesTables(Tokens tokens) {
  if (!tokens[0].Is("WITH")) return false;
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    const bool is_first = tokens[i - 1].Is("WITH") || tokens[i - 1].Is("RECURSIVE") ||
                          tokens[i - 1].IsSign(",");
    if (is_first && tokens[i].IsName() && tables::TableNamed(tokens[i].Value()) &&
        (tokens[i + 1].Is("AS") || tokens[i + 1].IsSign("("))) {
      return true;
    }
  }
  return false;
}

// Calls `read(tokens)` for each SELECT that is no part of a compound. True: do not look into it.
template <typename Read>
void ForEachSelect(Tokens tokens, Read&& read) {
  if (tokens.empty() || (!tokens[0].Is("SELECT") && !tokens[0].Is("WITH"))) return;
  if (HidesTables(tokens)) return;
  const auto is_compound = [&](size_t at) {
    return at < tokens.size() && (tokens[at].Is("UNION") || tokens[at].Is("EXCEPT") ||
                                  tokens[at].Is("INTERSECT") || tokens[at].Is("ALL"));
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].Is("SELECT")) continue;
    const size_t depth = tokens[i].depth;
    size_t end = i + 1;
    while (end < tokens.size() && tokens[end].depth >= depth &&
           !(tokens[end].depth == depth && EndsSelect(tokens[end]))) {
      ++end;
    }
    // The ORDER BY and LIMIT of a compound are those of all its parts.
    if (is_compound(end) || (i > 0 && is_compound(i - 1))) continue;
    if (read(tokens.subspan(i, end - i))) i = end - 1;
  }
}

}  // namespace

std::vector<GroupSelect> FindGroups(std::string_view statement, size_t number) {
  std::vector<GroupSelect> found;
  const std::vector<SqlToken> tokens = TokensOf(statement);
  ForEachSelect(tokens, [&](Tokens of_select) {
    auto select = SelectReader(statement, of_select).Read(number + found.size());
    if (!select) return false;
    found.push_back(std::move(*select));
    return true;
  });
  return found;
}

std::vector<TopSelect> FindTops(std::string_view statement) {
  std::vector<TopSelect> found;
  const std::vector<SqlToken> tokens = TokensOf(statement);
  ForEachSelect(tokens, [&](Tokens of_select) {
    auto select = SelectReader(statement, of_select).ReadTop();
    if (!select) return false;
    found.push_back(std::move(*select));
    return true;
  });
  return found;
}

}  // namespace query
