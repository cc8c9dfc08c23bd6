// SPDX-License-Identifier: BSD-2-Clause
#include "query/group_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "query/sql_tokens.h"

namespace query {
namespace {

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

bool SameTokens(Tokens a, Tokens b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SqlToken& x, const SqlToken& y) {
                      return x.kind == y.kind && x.Value() == y.Value();
                    });
}

std::string Quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + '"';
}

std::string_view SourceOf(Tokens tokens) {
  const char* const begin = tokens.front().source.data();
  const std::string_view last = tokens.back().source;
  return {begin, static_cast<size_t>(last.data() + last.size() - begin)};
}

bool IsOneOf(const SqlToken& token, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return token.Is(word); });
}

// Keywords in expressions, which are no names of columns.
bool IsOperatorWord(const SqlToken& token) {
  static constexpr std::array<std::string_view, 34> kWords = {
      "AND",   "OR",    "NOT",    "NULL",   "IS",    "IN",    "LIKE",    "GLOB",      "BETWEEN",
      "CASE",  "WHEN",  "THEN",   "ELSE",   "END",   "CAST",  "AS",      "INTEGER",   "REAL",
      "TEXT",  "ASC",   "DESC",   "NULLS",  "FIRST", "LAST",  "OVER",    "PARTITION", "BY",
      "ORDER", "LIMIT", "OFFSET", "ESCAPE", "TRUE",  "FALSE", "DISTINCT"};
  return IsOneOf(token, kWords);
}

// Keywords in a FROM, which are no aliases.
bool IsJoinWord(const SqlToken& token) {
  static constexpr std::array<std::string_view, 12> kWords = {
      "AS",    "ON",    "JOIN",  "LEFT",    "RIGHT", "FULL",
      "INNER", "CROSS", "OUTER", "NATURAL", "USING", "INDEXED"};
  return IsOneOf(token, kWords) || token.Is("NOT");
}

// The common table expressions of a statement.
class CommonTables {
 public:
  explicit CommonTables(Tokens statement) {
    size_t at = 0;
    if (statement.empty() || !statement[at++].Is("WITH")) return;
    is_recursive_ = statement.size() > 1 && statement[at].Is("RECURSIVE");
    at += is_recursive_ ? 1 : 0;
    while (at < statement.size() && !statement[at].Is("SELECT")) {
      const size_t begin = at;
      while (at < statement.size() && !(statement[at].depth == 0 &&
                                        (statement[at].IsSign(",") || statement[at].Is("SELECT"))))
        ++at;
      if (at == begin) return;
      tables_.push_back({statement[begin].Value(), statement.subspan(begin, at - begin)});
      if (at < statement.size() && statement[at].IsSign(",")) ++at;
    }
  }

  // The SELECT of a table that is not recursive; empty: there is no such table.
  Tokens BodyOf(std::string_view name) const {
    for (const CommonTable& table : tables_) {
      if (table.name != name) continue;
      const Tokens definition = table.definition;
      size_t begin = definition.size() - 1;
      while (begin > 0 && !(definition[begin].depth == 0 && definition[begin].IsSign("("))) --begin;
      if (!definition.back().IsSign(")") || begin == 0) return {};
      const Tokens body = definition.subspan(begin + 1, definition.size() - begin - 2);
      const bool is_recursive = std::any_of(body.begin(), body.end(), [&](const SqlToken& token) {
        return token.IsName() && token.Value() == name;
      });
      return is_recursive ? Tokens() : body;
    }
    return {};
  }

  // The tables that `tokens` read, directly or through others, as text before a SELECT.
  std::string Before(Tokens tokens) const {
    std::vector<bool> is_read(tables_.size());
    Mark(tokens, is_read);
    std::string text;
    for (size_t i = 0; i < tables_.size(); ++i) {
      if (!is_read[i]) continue;
      text += text.empty() ? (is_recursive_ ? "WITH RECURSIVE " : "WITH ") : ", ";
      text += SourceOf(tables_[i].definition);
    }
    return text.empty() ? text : text + ' ';
  }

 private:
  struct CommonTable {
    std::string name;
    Tokens definition;
  };
  void Mark(Tokens tokens, std::vector<bool>& is_read) const {
    for (const SqlToken& token : tokens) {
      const std::string name = token.IsName() && !tables_.empty() ? token.Value() : "";
      for (size_t i = 0; i < tables_.size(); ++i) {
        if (is_read[i] || tables_[i].name != name) continue;
        is_read[i] = true;
        Mark(tables_[i].definition, is_read);
      }
    }
  }

  bool is_recursive_ = false;
  std::vector<CommonTable> tables_;
};

// Reads one SELECT.
class SelectReader {
 public:
  // `tokens` begins with SELECT; all following tokens up to its end have its depth or are deeper.
  // `describe` may be null.
  SelectReader(std::string_view statement, Tokens tokens, const CommonTables& common,
               const Describe& describe)
      : statement_(statement),
        tokens_(tokens),
        depth_(tokens.front().depth),
        common_(common),
        describe_(describe) {
    names_.column = [this](Tokens name) { return ColumnOf(name); };
    names_.scalar = [this](Tokens select) { return ScalarOf(select); };
  }

  // Reads a SELECT with ORDER BY a column and LIMIT whose rows are all rows of the table.
  std::optional<TopSelect> ReadTop() {
    if (!FindClauses() || has_keys_ || !having_.empty() || !ReadFrom() || !ReadConditions(where_)) {
      return std::nullopt;
    }
    if (query_.relations.size() != 1 || !query_.relations[0].table) return std::nullopt;
    // "BY column [DESC] [, ...] LIMIT n [OFFSET m]", behind ORDER.
    if (rest_.size() < 5 || !rest_[0].Is("ORDER") || !rest_[1].Is("BY")) return std::nullopt;
    size_t limit = 2;
    while (limit < rest_.size() && !(rest_[limit].depth == depth_ && rest_[limit].Is("LIMIT")))
      ++limit;
    const Tokens by = SplitAt(rest_.subspan(2, limit - 2), depth_, ",").front();
    if (limit + 1 >= rest_.size() || by.empty()) return std::nullopt;
    TopSelect top{.table = *query_.relations[0].table, .conditions = query_.conditions};
    const tables::TableInfo& info = InfoOf(top.table);
    const bool has_direction = by.back().Is("DESC") || by.back().Is("ASC");
    const auto column = ColumnOf(by.first(by.size() - (has_direction ? 1 : 0)));
    if (!column || info.columns[column->column].type != tables::Type::kInteger) return std::nullopt;
    top.column = column->column;
    top.is_descending = by.back().Is("DESC");
    const Tokens numbers = rest_.subspan(limit + 1);
    const auto rows = WholeNumber(numbers[0].source);
    const auto skipped = numbers.size() == 3 && numbers[1].Is("OFFSET")
                             ? WholeNumber(numbers[2].source)
                         : numbers.size() == 1 ? std::optional<int64_t>(0)
                                               : std::nullopt;
    if (!rows || !skipped || *rows <= 0 || *rows > kMaxTop || *skipped > kMaxTop)
      return std::nullopt;
    top.rows = static_cast<uint64_t>(*rows + *skipped);
    // Aggregates, and aliases with the column's name, would select other rows.
    for (const SqlToken& token : list_) {
      if (token.IsSign("(") || (token.IsName() && token.Value() == info.columns[top.column].name &&
                                !IsPlainItem(token))) {
        return std::nullopt;
      }
    }
    top.at = static_cast<size_t>(rest_.front().source.data() - statement_.data());
    top.has_where = !where_.empty();
    if (top.has_where)
      top.where_begin = static_cast<size_t>(where_.front().source.data() - statement_.data());
    return top;
  }

  std::optional<GroupSelect> Read(size_t number) {
    if (!FindClauses() || !ReadFrom() || !ReadItems() || !ReadKeys() || !ReadConditions(where_)) {
      return std::nullopt;
    }
    std::string text = "SELECT ";
    for (const Item& item : items_) {
      if (&item != items_.data()) text += ", ";
      auto expression = Rewritten(item.expression);
      if (!expression) return std::nullopt;
      text += *expression + " AS " + NameOfItem(item);
    }
    text += fmt::format(" FROM temp.{}{}", kGroupTable, number);
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
    Flatten();
    if (!IsSum() || !NoteColumns()) return std::nullopt;
    GroupSelect select{.query = std::move(query_), .number = number, .text = std::move(text)};
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

  // True if rows of a table of the trace are grouped, and it is known which row has the values of
  // other columns.
  bool IsSum() const {
    if (std::none_of(query_.relations.begin(), query_.relations.end(),
                     [](const GroupRelation& relation) {
                       return (relation.table || relation.ordered) && !relation.is_left;
                     })) {
      return false;
    }
    size_t extremes = 0;
    size_t others = 0;
    size_t beside = 0;
    for (const GroupValue& value : query_.values) {
      const bool is_extreme =
          value.kind == GroupValue::Kind::kMin || value.kind == GroupValue::Kind::kMax;
      ++(value.kind == GroupValue::Kind::kBeside ? beside : is_extreme ? extremes : others);
      if (is_extreme && value.filter && beside != 0) return false;
    }
    return (has_keys_ || extremes + others != 0) && (beside == 0 || extremes <= 1);
  }

  // Notes the columns of all expressions. False: their values would take too much memory.
  bool NoteColumns() {
    size_t operators = 0;
    ForEachExpression([&](const Expression& expression) {
      operators += OperatorsOf(expression);
      ForEachColumn(expression, [&](ColumnRef column) {
        query_.relations[column.relation].used |= uint64_t{1} << column.column;
      });
    });
    return operators <= kMaxOperators && query_.values.size() <= kMaxValues;
  }

  const std::string& NameOfColumn(ColumnRef column) const {
    return query_.relations[column.relation].columns[column.column].name;
  }

  // The name that SQLite gives it.
  std::string NameOfItem(const Item& item) const {
    if (!item.alias.empty()) return std::string(item.source);
    if (const auto column = ColumnOf(item.expression)) return Quoted(NameOfColumn(*column));
    return Quoted(SourceOf(item.expression));
  }

  // True if a name in the list of columns does not follow AS or another name.
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
      if (tokens_[i].Is("WINDOW")) return false;
      for (size_t clause = last; clause < kClauses.size(); ++clause) {
        if (!tokens_[i].Is(kClauses[clause])) continue;
        at[clause] = i;
        last = clause + 1;
        break;
      }
    }
    // A clause ends at the begin of the next one.
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

  // "source [AS alias]", joined by commas or JOIN.
  bool ReadFrom() {
    bool is_left = false;
    for (size_t at = 0; at < from_.size();) {
      if (query_.relations.size() == kMaxRelations || !ReadRelation(at, is_left)) return false;
      if (at < from_.size() && from_[at].Is("ON")) {
        size_t end = at + 1;
        while (end < from_.size() &&
               !(from_[end].depth == depth_ && (from_[end].IsSign(",") || IsJoinWord(from_[end])) &&
                 !from_[end].Is("NOT"))) {
          ++end;
        }
        if (!ReadConditions(from_.subspan(at + 1, end - at - 1), is_left)) return false;
        at = end;
      } else if (is_left) {
        return false;
      }
      if (at == from_.size()) return true;
      is_left = from_[at].Is("LEFT");
      if (from_[at].IsSign(",")) {
        ++at;
        continue;
      }
      at += is_left || from_[at].Is("INNER") || from_[at].Is("CROSS") ? 1 : 0;
      at += is_left && at < from_.size() && from_[at].Is("OUTER") ? 1 : 0;
      if (at >= from_.size() || !from_[at++].Is("JOIN")) return false;
    }
    return false;
  }

  bool ReadRelation(size_t& at, bool is_left) {
    GroupRelation relation{.is_left = is_left};
    const size_t begin = at;
    if (at < from_.size() && from_[at].IsSign("(")) {
      const size_t depth = from_[at].depth;
      do {
        ++at;
      } while (at < from_.size() && from_[at].depth > depth);
    } else if (at < from_.size() && from_[at].IsName() && !IsJoinWord(from_[at])) {
      relation.alias = from_[at].Value();
      relation.table = tables::TableNamed(relation.alias);
    } else {
      return false;
    }
    if (at >= from_.size()) return false;
    ++at;
    const Tokens source = from_.subspan(begin, at - begin);
    sources_.push_back(source);
    const bool has_as = at < from_.size() && from_[at].Is("AS");
    at += has_as ? 1 : 0;
    if (at < from_.size() && from_[at].IsName() && !IsJoinWord(from_[at])) {
      relation.alias = from_[at++].Value();
    } else if (has_as) {
      return false;
    }
    relation.before = common_.Before(source);
    relation.from = fmt::format(" FROM {} AS {}", SourceOf(source),
                                Quoted(relation.alias.empty() ? "#s" : relation.alias));
    if (relation.table) {
      for (const tables::Column& column : InfoOf(*relation.table).columns) {
        static constexpr std::array<const char*, 3> kTypes = {"INTEGER", "REAL", "TEXT"};
        relation.columns.push_back(
            {std::string(column.name), kTypes[static_cast<size_t>(column.type)]});
      }
      for (size_t i = 0; i < StatementWindows::kMost; ++i)
        relation.columns.push_back({NameOfWindow(i), ""});
    } else {
      auto columns = Described(source, relation.before + "SELECT *" + relation.from);
      if (!columns) return false;
      relation.columns = std::move(*columns);
      relation.ordered = OrderedOf(source, relation.columns.size());
    }
    query_.relations.push_back(std::move(relation));
    return query_.relations.back().columns.size() <= 64;
  }

  // The SELECT of a subquery or common table, without its parentheses; empty: it is neither.
  Tokens BodyOf(Tokens source) const {
    return source.size() == 1 ? common_.BodyOf(source[0].Value())
                              : source.subspan(1, source.size() - 2);
  }

  // The SELECT with windows of a source with this many columns; null: it is not such a SELECT.
  std::shared_ptr<const OrderedSelect> OrderedOf(Tokens source, size_t columns) const {
    const Tokens body = BodyOf(source);
    if (body.empty() || !body[0].Is("SELECT")) return nullptr;
    SelectReader reader(statement_, body, common_, describe_);
    auto ordered = reader.ReadOrdered();
    return ordered && ordered->items.size() == columns
               ? std::make_shared<const OrderedSelect>(std::move(*ordered))
               : nullptr;
  }

  // Replaces a subquery that reads rows of a table of the trace by that table, if there is no other
  // table.
  void Flatten() {
    const auto is_base = [](const GroupRelation& relation) {
      return (relation.table || relation.ordered) && !relation.is_left;
    };
    if (std::any_of(query_.relations.begin(), query_.relations.end(), is_base)) return;
    for (size_t number = 0; number < query_.relations.size(); ++number) {
      GroupRelation& relation = query_.relations[number];
      const Tokens body = relation.is_left ? Tokens() : BodyOf(sources_[number]);
      if (body.empty() || !body[0].Is("SELECT")) continue;
      auto rows = SelectReader(statement_, body, common_, describe_)
                      .ReadPart(relation.columns.size(), UINT64_MAX);
      if (!rows) continue;
      const size_t scalars = query_.scalars.size();
      const auto move_here = [&](Expression& expression) {
        ForEachPart(expression, [&](Expression& part) {
          part.column.relation = static_cast<uint8_t>(number);
          if (part.kind == Expression::Kind::kScalar) part.number += static_cast<int64_t>(scalars);
        });
      };
      for (Expression& key : rows->keys) move_here(key);
      for (Expression& condition : rows->conditions) move_here(condition);
      ForEachExpression([&](Expression& expression) {
        ForEachPart(expression, [&](Expression& part) {
          const bool is_of_it =
              part.kind == Expression::Kind::kColumn && part.column.relation == number;
          if (is_of_it) part = Expression(rows->keys[part.column.column]);
        });
      });
      query_.scalars.insert(query_.scalars.end(), rows->scalars.begin(), rows->scalars.end());
      query_.conditions.insert(query_.conditions.end(), rows->conditions.begin(),
                               rows->conditions.end());
      relation.table = rows->relations[0].table;
      relation.columns = std::move(rows->relations[0].columns);
      relation.own.clear();
      return;
    }
  }

  // Calls `each` with all subexpressions, the operands first.
  template <typename Each>
  static void ForEachPart(Expression& expression, const Each& each) {
    for (Expression& operand : expression.operands) ForEachPart(operand, each);
    each(expression);
  }
  template <typename Each>
  void ForEachExpression(const Each& each) {
    for (Expression& condition : query_.conditions) each(condition);
    for (Expression& key : query_.keys) each(key);
    for (GroupRelation& relation : query_.relations) {
      for (Expression& condition : relation.on) each(condition);
    }
    for (GroupValue& value : query_.values) {
      each(value.of);
      each(value.lengths);
      if (value.filter) each(*value.filter);
    }
  }

  // "SELECT expressions FROM source", with window functions in some of these.
  std::optional<OrderedSelect> ReadOrdered() {
    if (!HasWord("OVER") || HasWord("UNION") || !FindClauses() || !where_.empty() || has_keys_ ||
        !rest_.empty())
      return std::nullopt;
    if (from_.empty() || !ReadFrom() || query_.relations.size() != 1 ||
        query_.relations[0].ordered || !ReadItems())
      return std::nullopt;
    OrderedSelect ordered{.columns = query_.relations[0].columns.size()};
    std::optional<uint8_t> order;
    names_.call = [&](Tokens call, size_t& size) { return WindowOf(call, size, ordered, order); };
    for (const Item& item : items_) {
      auto read = ReadExpression(item.expression, names_);
      if (!read) return std::nullopt;
      ordered.items.push_back(std::move(*read));
    }
    if (!order || !query_.scalars.empty() || ordered.columns + ordered.windows.size() > 64)
      return std::nullopt;
    ordered.order = *order;
    ordered.used = uint64_t{1} << *order;
    for (const OrderedWindow& window : ordered.windows) {
      if (window.has_column()) ordered.used |= uint64_t{1} << window.column;
    }
    for (const Expression& item : ordered.items) {
      ForEachColumn(item, [&](ColumnRef column) {
        if (column.column < ordered.columns) ordered.used |= uint64_t{1} << column.column;
      });
    }
    return ReadParts(ordered) ? std::optional(std::move(ordered)) : std::nullopt;
  }

  // The column of a window function, after those of the source.
  std::optional<ColumnRef> WindowOf(Tokens call, size_t& size, OrderedSelect& ordered,
                                    std::optional<uint8_t>& order) const {
    const auto kind = WindowKindOf(call[0]);
    const size_t end = EndOf(call, 1);
    if (!kind || end + 6 > call.size()) return std::nullopt;
    OrderedWindow window{.kind = *kind};
    const Tokens argument = call.subspan(2, end - 2);
    const bool is_star =
        argument.size() == 1 && argument[0].IsSign("*") && window.kind == WindowKind::kCount;
    const auto column = window.has_column() ? ColumnOf(argument) : std::nullopt;
    if (window.has_column()
            ? !column
            : !(is_star || (argument.empty() && window.kind == WindowKind::kRowNumber)))
      return std::nullopt;
    if (column) window.column = column->column;
    // "OVER (ORDER BY column [ASC])".
    const size_t last = EndOf(call, end + 2);
    if (!call[end + 1].Is("OVER") || !call[end + 2].IsSign("(") || last == call.size())
      return std::nullopt;
    Tokens by = call.subspan(end + 3, last - end - 3);
    if (by.size() < 3 || !by[0].Is("ORDER") || !by[1].Is("BY")) return std::nullopt;
    const auto ordered_by = ColumnOf(by.subspan(2, by.size() - 2 - (by.back().Is("ASC") ? 1 : 0)));
    if (!ordered_by || (order && order != ordered_by->column)) return std::nullopt;
    order = ordered_by->column;
    size = last + 1;
    const auto found = std::find(ordered.windows.begin(), ordered.windows.end(), window);
    const auto number = static_cast<size_t>(found - ordered.windows.begin());
    if (found == ordered.windows.end()) ordered.windows.push_back(window);
    if (ordered.columns + number >= 64) return std::nullopt;
    return ColumnRef{.column = static_cast<uint8_t>(ordered.columns + number)};
  }

  // The parts of a UNION ALL, or the table.
  bool ReadParts(OrderedSelect& ordered) {
    const GroupRelation& source = query_.relations[0];
    if (source.table) {
      GroupQuery all{.relations = {source}};
      for (uint8_t i = 0; i < ordered.columns; ++i) {
        Expression column;
        if ((ordered.used >> i & 1) != 0)
          column = Expression{.kind = Expression::Kind::kColumn, .column = {.column = i}};
        all.keys.push_back(std::move(column));
      }
      all.relations[0].used = ordered.used;
      ordered.parts.push_back({.query = std::move(all)});
      return true;
    }
    const Tokens body = BodyOf(sources_[0]);
    // They would apply to all parts.
    const bool has_order = std::any_of(body.begin(), body.end(), [&](const SqlToken& token) {
      return token.depth == body[0].depth && (token.Is("ORDER") || token.Is("LIMIT"));
    });
    if (has_order) return false;
    size_t begin = 0;
    for (size_t i = 0; i <= body.size(); ++i) {
      if (i < body.size() && (body[i].depth != body[0].depth || !EndsSelect(body[i]))) continue;
      const Tokens part = body.subspan(begin, i - begin);
      if (part.empty() || !part[0].Is("SELECT")) return false;
      SelectReader reader(statement_, part, common_, describe_);
      ordered.parts.push_back({.query = reader.ReadPart(ordered.columns, ordered.used),
                               .select = common_.Before(part) + std::string(SourceOf(part))});
      if (i < body.size() &&
          (!body[i].Is("UNION") || i + 1 == body.size() || !body[i + 1].Is("ALL")))
        return false;
      begin = i + 2;
    }
    return true;
  }

  // A SELECT of this many columns from rows of a table of the trace: the used ones are the keys.
  std::optional<GroupQuery> ReadPart(size_t columns, uint64_t used) {
    if (HasWord("UNION") || HasWord("EXCEPT") || HasWord("INTERSECT") || !FindClauses() ||
        has_keys_ || !rest_.empty() || !ReadFrom() || !ReadItems() || !ReadConditions(where_))
      return std::nullopt;
    if (items_.size() != columns || query_.relations.size() != 1 || !query_.relations[0].table)
      return std::nullopt;
    for (size_t i = 0; i < items_.size(); ++i) {
      auto item = ReadExpression(items_[i].expression, names_);
      if (!item) return std::nullopt;
      query_.keys.push_back((used >> i & 1) != 0 ? std::move(*item) : Expression());
    }
    return NoteColumns() ? std::optional(std::move(query_)) : std::nullopt;
  }

  bool HasWord(std::string_view word) const {
    return std::any_of(tokens_.begin(), tokens_.end(), [&](const SqlToken& token) {
      return token.depth == depth_ && token.Is(word);
    });
  }

  // The columns of a SELECT with `tokens`, which must not refer to anything outside of it.
  std::optional<std::vector<RelationColumn>> Described(Tokens tokens,
                                                       const std::string& select) const {
    // An unknown name in quotes is a text.
    const bool has_quotes = std::any_of(tokens.begin(), tokens.end(), [](const SqlToken& token) {
      return token.kind == SqlToken::Kind::kQuotedName && !token.source.starts_with("\"#");
    });
    return describe_ && !has_quotes ? describe_(select) : std::nullopt;
  }
  bool IsIndependent(Tokens select) const {
    return Described(select, fmt::format("{}SELECT ({})", common_.Before(select), SourceOf(select)))
        .has_value();
  }

  std::optional<size_t> ScalarOf(Tokens select) {
    if (select.empty() || !IsIndependent(select)) return std::nullopt;
    const std::string text = fmt::format("{}SELECT ({})", common_.Before(select), SourceOf(select));
    const auto found = std::find(query_.scalars.begin(), query_.scalars.end(), text);
    const auto number = static_cast<size_t>(found - query_.scalars.begin());
    if (found == query_.scalars.end()) query_.scalars.push_back(text);
    return number;
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
      // Some clauses would refer to the column of that name, others to the alias.
      if (HasColumnNamed(item.alias)) {
        const auto column = ColumnOf(item.expression);
        if (!column || NameOfColumn(*column) != item.alias) return false;
      }
      items_.push_back(std::move(item));
    }
    return true;
  }

  bool HasColumnNamed(std::string_view name) const {
    return std::any_of(
        query_.relations.begin(), query_.relations.end(), [&](const GroupRelation& relation) {
          return std::any_of(relation.columns.begin(), relation.columns.end(),
                             [&](const RelationColumn& column) { return column.name == name; });
        });
  }

  // The column, if the tokens are one column, possibly with its table.
  std::optional<ColumnRef> ColumnOf(Tokens tokens) const {
    const bool has_table = tokens.size() == 3 && tokens[0].IsName() && tokens[1].IsSign(".");
    if (!(tokens.size() == 1 || has_table) || !tokens.back().IsName()) return std::nullopt;
    const std::string name = tokens.back().Value();
    std::optional<ColumnRef> found;
    for (uint8_t relation = 0; relation < query_.relations.size(); ++relation) {
      const GroupRelation& in = query_.relations[relation];
      if (has_table && in.alias != tokens[0].Value()) continue;
      for (uint8_t column = 0; column < in.columns.size(); ++column) {
        if (in.columns[column].name != name) continue;
        if (found) return std::nullopt;
        found = {relation, column};
      }
    }
    return found;
  }

  bool ReadKeys() {
    if (!has_keys_) return true;
    for (Tokens term : SplitAt(group_, depth_, ",")) {
      if (term.empty()) return false;
      if (!ColumnOf(term) && term.size() == 1) {
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
      }
      auto key = ReadExpression(term, names_);
      if (!key || key->IsConstant()) return false;
      if (key->kind != Expression::Kind::kColumn)
        expressions_.emplace_back(term, query_.keys.size());
      query_.keys.push_back(std::move(*key));
    }
    return true;
  }

  // Reads the conditions of a WHERE or ON, which are ANDed. Those of a LEFT JOIN concern its last
  // table.
  bool ReadConditions(Tokens condition, bool is_left = false) {
    if (condition.empty()) return !is_left;
    for (const Tokens term : SplitAtAnd(condition, depth_)) {
      auto read = ReadExpression(term, names_);
      if (!read) return false;
      std::optional<uint8_t> relation;
      bool is_of_one = true;
      ForEachColumn(*read, [&](ColumnRef column) {
        is_of_one &= !relation || relation == column.relation;
        relation = column.relation;
      });
      GroupRelation& last = query_.relations.back();
      const bool is_own =
          relation && is_of_one &&
          (is_left ? &query_.relations[*relation] == &last : !query_.relations[*relation].is_left);
      if (is_own) query_.relations[*relation].own.emplace_back(SourceOf(term));
      if (is_left && !is_own)
        last.on.push_back(std::move(*read));
      else if (!is_left)
        query_.conditions.push_back(std::move(*read));
    }
    return true;
  }

  // The number of the value of a call at `at`; moves `at` behind it. Empty: it is not such a call,
  // or not supported (`fails`).
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
    if (call == kCalls.end()) {
      // SQLite computes other aggregates, and expressions with them.
      static constexpr std::array<std::string_view, 12> kOthers = {
          "TOTAL",           "GROUP_CONCAT",      "STRING_AGG",
          "HISTOGRAM",       "JSON_GROUP_ARRAY",  "JSON_GROUP_OBJECT",
          "MEDIAN",          "PERCENTILE",        "PERCENTILE_CONT",
          "PERCENTILE_DISC", "JSONB_GROUP_ARRAY", "JSONB_GROUP_OBJECT"};
      fails = IsOneOf(tokens[at], kOthers);
      return std::nullopt;
    }
    const size_t end = EndOf(tokens, at + 1);
    if (end == tokens.size()) {
      fails = true;
      return std::nullopt;
    }
    const Tokens inner = tokens.subspan(at + 2, end - at - 2);
    const auto parts = SplitAt(inner, tokens[at].depth + 1, ",");
    GroupValue value{.kind = call->second};
    // min() and max() of several values are no aggregates.
    const bool is_extreme =
        value.kind == GroupValue::Kind::kMin || value.kind == GroupValue::Kind::kMax;
    if (is_extreme && parts.size() > 1) return std::nullopt;
    fails = !ReadArguments(parts, value);
    at = end + 1;
    if (at < tokens.size() && tokens[at].Is("FILTER")) fails |= !ReadFilter(tokens, at, value);
    fails |= at < tokens.size() && tokens[at].Is("OVER");
    return fails ? std::nullopt : std::optional(NumberOf(std::move(value)));
  }

  // The parenthesis that matches the one at `at`.
  static size_t EndOf(Tokens tokens, size_t at) {
    const size_t depth = tokens[at].depth;
    do {
      ++at;
    } while (at < tokens.size() && tokens[at].depth > depth);
    return at;
  }

  bool ReadArguments(const std::vector<Tokens>& parts, GroupValue& value) {
    Tokens first = parts[0];
    if (parts.size() == 1 && first.size() == 1 && first[0].IsSign("*") &&
        value.kind == GroupValue::Kind::kCountOf) {
      value.kind = GroupValue::Kind::kCount;
      return true;
    }
    if (!first.empty() && first[0].Is("DISTINCT")) {
      if (value.kind != GroupValue::Kind::kCountOf) return false;
      value.kind = GroupValue::Kind::kCountDistinct;
      first = first.subspan(1);
    }
    auto of = ReadExpression(first, names_);
    if (!of) return false;
    value.of = std::move(*of);
    const bool has_two =
        value.kind == GroupValue::Kind::kQuantile || value.kind == GroupValue::Kind::kConcurrency;
    if (parts.size() != (has_two ? 2 : 1)) return false;
    if (value.kind == GroupValue::Kind::kQuantile) {
      if (parts[1].size() != 1) return false;
      const std::string_view q = parts[1][0].source;
      const auto read = std::from_chars(q.data(), q.data() + q.size(), value.q);
      return read.ec == std::errc() && read.ptr == q.data() + q.size() && value.q >= 0 &&
             value.q <= 1;
    }
    if (value.kind == GroupValue::Kind::kConcurrency) {
      auto lengths = ReadExpression(parts[1], names_);
      if (!lengths) return false;
      value.lengths = std::move(*lengths);
    }
    return true;
  }

  // "FILTER (WHERE condition)".
  bool ReadFilter(Tokens tokens, size_t& at, GroupValue& value) {
    if (at + 3 >= tokens.size() || !tokens[at + 1].IsSign("(") || !tokens[at + 2].Is("WHERE"))
      return false;
    const size_t end = EndOf(tokens, at + 1);
    if (end == tokens.size()) return false;
    value.filter = ReadExpression(tokens.subspan(at + 3, end - at - 3), names_);
    at = end + 1;
    return value.filter.has_value();
  }

  size_t NumberOf(GroupValue value) {
    const auto found = std::find(query_.values.begin(), query_.values.end(), value);
    const auto number = static_cast<size_t>(found - query_.values.begin());
    if (found == query_.values.end()) query_.values.push_back(std::move(value));
    return number;
  }

  // The column of the groups for a column.
  std::string GroupColumnOf(ColumnRef column) {
    Expression expression;
    expression.kind = Expression::Kind::kColumn;
    expression.column = column;
    const auto key = std::find(query_.keys.begin(), query_.keys.end(), expression);
    if (key != query_.keys.end()) return NameOfKey(static_cast<size_t>(key - query_.keys.begin()));
    return NameOfValue(NumberOf({.kind = GroupValue::Kind::kBeside, .of = std::move(expression)}));
  }

  // The expression with columns of the groups instead of calls and keys.
  std::optional<std::string> Rewritten(Tokens tokens) {
    std::string text;
    const auto put = [&](std::string_view source) {
      if (!text.empty()) text += ' ';
      text += source;
    };
    for (size_t at = 0; at < tokens.size();) {
      const auto key =
          std::find_if(expressions_.begin(), expressions_.end(), [&](const auto& each) {
            return each.first.size() <= tokens.size() - at &&
                   SameTokens(each.first, tokens.subspan(at, each.first.size()));
          });
      // Only if no operator binds more tightly.
      if (key != expressions_.end()) {
        const size_t end = at + key->first.size();
        const bool is_alone =
            (at == 0 || tokens[at - 1].IsSign("(") || tokens[at - 1].IsSign(",") ||
             tokens[at - 1].Is("BY")) &&
            (end == tokens.size() || tokens[end].IsSign(")") || tokens[end].IsSign(",") ||
             tokens[end].Is("DESC") || tokens[end].Is("ASC") || tokens[end].Is("LIMIT"));
        if (!is_alone) return std::nullopt;
        put(Quoted(NameOfKey(key->second)));
        at = end;
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
        const size_t size = is_qualified ? 3 : 1;
        if (const auto column = ColumnOf(tokens.subspan(at, size))) {
          put(Quoted(GroupColumnOf(*column)));
          at += size;
          continue;
        }
        // SQLite treats an unknown "name" as a text; this is not supported.
        const bool is_alias = std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
          return !item.alias.empty() && item.alias == token.Value();
        });
        if (is_qualified || !is_alias) return std::nullopt;
      }
      put(token.source);
      ++at;
    }
    return text;
  }

  static constexpr size_t kMaxRelations = 8;
  // The values of each take 256 KiB.
  static constexpr size_t kMaxOperators = 256;
  // Each takes some MiB for 100,000 groups.
  static constexpr size_t kMaxValues = 64;
  static constexpr int64_t kMaxTop = 100'000;

  std::string_view statement_;
  Tokens tokens_;
  size_t depth_;
  const CommonTables& common_;
  const Describe& describe_;
  ExpressionNames names_;
  Tokens list_, from_, where_, group_, having_, rest_;
  bool has_keys_ = false;
  std::vector<Item> items_;
  std::vector<Tokens> sources_;  // of each relation: the table or subquery as written
  std::vector<std::pair<Tokens, size_t>> expressions_;  // keys that are no columns
  GroupQuery query_;
};

// True if a WITH redefines the name of a table of the trace.
bool HidesTables(Tokens tokens) {
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].IsName() || !tables::TableNamed(tokens[i].Value())) continue;
    const bool is_definition =
        tokens[i + 1].Is("AS") &&
        (tokens[i + 2].IsSign("(") || tokens[i + 2].Is("MATERIALIZED") || tokens[i + 2].Is("NOT"));
    if (is_definition || tokens[i + 1].IsSign("(")) return true;
  }
  return false;
}

// Calls `read(tokens)` for each SELECT that is not part of a compound. If it returns true, nested
// SELECTs are skipped.
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
    // ORDER BY and LIMIT of a compound apply to all its parts.
    if (is_compound(end) || (i > 0 && is_compound(i - 1))) continue;
    if (read(tokens.subspan(i, end - i))) i = end - 1;
  }
}

}  // namespace

std::string NameOfKey(size_t number) { return fmt::format("#k{}", number); }
std::string NameOfValue(size_t number) { return fmt::format("#v{}", number); }

std::string TypeOf(const Expression& expression, const GroupQuery& query) {
  if (expression.kind != Expression::Kind::kColumn) return "";
  return query.relations[expression.column.relation].columns[expression.column.column].type;
}

std::vector<GroupSelect> FindGroups(std::string_view statement, size_t& last,
                                    const Describe& describe,
                                    const std::function<bool(const GroupSelect&)>& is_wanted) {
  std::vector<GroupSelect> found;
  const std::vector<SqlToken> tokens = TokensOf(statement);
  const CommonTables common(tokens);
  // Names of an inner WITH are unknown outside, and SQLite does not report the type of a CAST.
  const auto withs = std::count_if(tokens.begin(), tokens.end(),
                                   [](const SqlToken& token) { return token.Is("WITH"); });
  const bool is_known =
      withs <= 1 && std::none_of(tokens.begin(), tokens.end(), [](const SqlToken& token) {
        return token.Is("CAST") || token.Is("COLLATE");
      });
  const Describe nothing;
  ForEachSelect(tokens, [&](Tokens of_select) {
    auto select =
        SelectReader(statement, of_select, common, is_known ? describe : nothing).Read(last + 1);
    if (!select) return false;
    ++last;
    if (is_wanted && !is_wanted(*select)) return false;
    found.push_back(std::move(*select));
    return true;
  });
  return found;
}

std::vector<TopSelect> FindTops(std::string_view statement) {
  std::vector<TopSelect> found;
  const std::vector<SqlToken> tokens = TokensOf(statement);
  const CommonTables common(tokens);
  const Describe nothing;
  ForEachSelect(tokens, [&](Tokens of_select) {
    auto select = SelectReader(statement, of_select, common, nothing).ReadTop();
    if (!select) return false;
    found.push_back(std::move(*select));
    return true;
  });
  return found;
}

}  // namespace query
