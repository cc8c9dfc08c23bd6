// SPDX-License-Identifier: BSD-2-Clause
#include "query/window_query.h"

#include <algorithm>
#include <span>
#include <utility>

#include "facts/koid_index.h"

namespace query {
namespace {

using columns::ColumnValues;
using tables::Cell;
using Tokens = std::span<const SqlToken>;

constexpr size_t kMaxPartitions = size_t{1} << 20;

bool EndsFrom(const SqlToken& token) {
  for (const std::string_view word :
       {"WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT"}) {
    if (token.Is(word)) return true;
  }
  return token.IsSign(";");
}

// True if a FROM of the statement has more than one table.
bool HasJoin(Tokens tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].Is("JOIN") || tokens[i].Is("RECURSIVE")) return true;
    if (!tokens[i].Is("FROM")) continue;
    const size_t depth = tokens[i].depth;
    for (size_t at = i + 1; at < tokens.size() && tokens[at].depth >= depth; ++at) {
      if (tokens[at].depth > depth) continue;
      if (EndsFrom(tokens[at])) break;
      if (tokens[at].IsSign(",")) return true;
    }
  }
  return false;
}

// True if WITH redefines the name of a table of the trace.
bool IsNamedAnew(Tokens tokens) {
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool is_definition = tokens[i].IsName() &&
                               (tokens[i + 1].Is("AS") || tokens[i + 1].IsSign("(")) &&
                               tables::TableNamed(tokens[i].Value());
    const bool is_aliased = i > 0 && tokens[i - 1].Is("FROM");
    if (is_definition && !is_aliased) return true;
  }
  return false;
}

std::optional<uint8_t> ColumnNamed(const tables::TableInfo& info, const SqlToken& token) {
  if (!token.IsName()) return std::nullopt;
  const std::string name = token.Value();
  for (uint8_t i = 0; i < info.columns.size(); ++i) {
    if (info.columns[i].name == name && info.columns[i].type == tables::Type::kInteger) return i;
  }
  return std::nullopt;
}

// The table that a SELECT reads all rows of; `at` is its SELECT.
std::optional<tables::Table> TableOf(Tokens tokens, size_t at) {
  const size_t depth = tokens[at].depth;
  if (at + 1 < tokens.size() && tokens[at + 1].Is("DISTINCT")) return std::nullopt;
  for (size_t i = at + 1; i < tokens.size() && tokens[i].depth >= depth; ++i) {
    if (tokens[i].depth > depth || !tokens[i].Is("FROM")) continue;
    if (i + 1 >= tokens.size() || !tokens[i + 1].IsName()) return std::nullopt;
    const auto table = tables::TableNamed(tokens[i + 1].Value());
    size_t end = i + 2;
    if (end < tokens.size() && tokens[end].Is("AS")) ++end;
    if (end < tokens.size() && tokens[end].depth == depth && tokens[end].IsName() &&
        !EndsFrom(tokens[end])) {
      ++end;
    }
    const bool is_end = end == tokens.size() || tokens[end].depth < depth ||
                        tokens[end].IsSign(")") || tokens[end].IsSign(";") ||
                        tokens[end].Is("ORDER") || tokens[end].Is("LIMIT");
    return is_end ? table : std::nullopt;
  }
  return std::nullopt;
}

// "name(arguments) OVER (PARTITION BY a ORDER BY b)" from `at` on. Sets `end` to the token behind
// it.
std::optional<WindowQuery> ReadWindow(Tokens tokens, size_t at, tables::Table table, size_t& end) {
  const tables::TableInfo& info = InfoOf(table);
  WindowQuery query{.table = table};
  const auto has = [&](size_t place, std::string_view sign) {
    return place < tokens.size() && tokens[place].IsSign(sign);
  };
  if (!tokens[at].IsName() || !has(at + 1, "(")) return std::nullopt;
  const auto kind = WindowKindOf(tokens[at]);
  if (!kind) return std::nullopt;
  query.kind = *kind;
  size_t next = at + 2;
  if (query.kind == WindowKind::kCount && has(next, "*")) {
    ++next;
  } else if (query.kind != WindowKind::kRowNumber) {
    if (next >= tokens.size()) return std::nullopt;
    query.column = ColumnNamed(info, tokens[next++]);
    if (!query.column) return std::nullopt;
  }
  const auto take = [&](std::string_view word) {
    return next < tokens.size() && tokens[next++].Is(word);
  };
  if (!has(next++, ")") || !take("OVER") || !has(next++, "(") || !take("PARTITION") ||
      !take("BY")) {
    return std::nullopt;
  }
  const auto partition = next < tokens.size() ? ColumnNamed(info, tokens[next++]) : std::nullopt;
  if (!partition || !take("ORDER") || !take("BY")) return std::nullopt;
  const auto order = next < tokens.size() ? ColumnNamed(info, tokens[next++]) : std::nullopt;
  if (next < tokens.size() && tokens[next].Is("ASC")) ++next;
  if (!order || !has(next, ")")) return std::nullopt;
  query.partition = *partition;
  query.order = *order;
  end = next + 1;
  return query;
}

// State of a partition after some of its rows.
struct Partition {
  uint64_t rows = 0;
  uint64_t last_row = 0;
  int64_t last_time = 0;
  int64_t value = 0;  // the last one, or the sum
  bool is_null = true;
  int64_t count = 0;
};

}  // namespace

std::optional<WindowKind> WindowKindOf(const SqlToken& token) {
  static constexpr std::array<std::string_view, 5> kNames = {"lag", "lead", "row_number", "count",
                                                             "sum"};
  const auto* const found =
      std::find(kNames.begin(), kNames.end(), token.IsName() ? token.Value() : "");
  if (found == kNames.end()) return std::nullopt;
  return static_cast<WindowKind>(found - kNames.begin());
}

std::vector<WindowUse> FindWindows(std::string_view statement) {
  std::vector<WindowUse> found;
  const std::vector<SqlToken> list = TokensOf(statement);
  const Tokens tokens(list);
  const bool has_windows = std::any_of(tokens.begin(), tokens.end(),
                                       [](const SqlToken& token) { return token.Is("OVER"); });
  if (!has_windows || (!tokens[0].Is("SELECT") && !tokens[0].Is("WITH")) || HasJoin(tokens) ||
      IsNamedAnew(tokens)) {
    return found;
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].Is("SELECT")) continue;
    const size_t depth = tokens[i].depth;
    const auto table = TableOf(tokens, i);
    if (!table) continue;
    for (size_t at = i + 1; at < tokens.size() && tokens[at].depth >= depth; ++at) {
      if (tokens[at].depth == depth && tokens[at].Is("FROM")) break;
      size_t end = 0;
      const auto query =
          tokens[at].depth == depth ? ReadWindow(tokens, at, *table, end) : std::nullopt;
      if (!query) continue;
      const auto place = [&](const SqlToken& token) {
        return static_cast<size_t>(token.source.data() - statement.data());
      };
      found.push_back({.query = *query,
                       .begin = place(tokens[at]),
                       .end = place(tokens[end - 1]) + tokens[end - 1].source.size()});
      at = end - 1;
    }
  }
  std::sort(found.begin(), found.end(),
            [](const WindowUse& a, const WindowUse& b) { return a.begin < b.begin; });
  return found;
}

std::optional<WindowValues> WindowValues::Of(const WindowQuery& query,
                                             const columns::ColumnFile& file, size_t max_bytes,
                                             const std::function<bool()>& cancelled) {
  const columns::TableBlocks& blocks = file.table(query.table);
  if (blocks.rows > max_bytes / kBytesOfRow) return std::nullopt;
  WindowValues made;
  made.table_ = query.table;
  made.values_.resize(blocks.rows);
  made.is_null_.resize(blocks.rows);
  const bool looks_ahead = query.kind == WindowKind::kLead;
  // Rows of the same time are added to a sum at once.
  const bool must_ascend = query.kind == WindowKind::kSum || query.kind == WindowKind::kCount;
  facts::KoidIndex numbers(kMaxPartitions);
  std::vector<Partition> partitions(1);  // the first one: of NULL
  ColumnValues keys;
  ColumnValues times;
  ColumnValues of_column;
  uint64_t row = 0;
  for (size_t block = 0; block < blocks.blocks(); ++block) {
    if (cancelled && cancelled()) return std::nullopt;
    if (!file.Read(query.table, block, query.partition, keys) ||
        !file.Read(query.table, block, query.order, times) ||
        (query.column && !file.Read(query.table, block, *query.column, of_column))) {
      return std::nullopt;
    }
    for (size_t i = 0; i < blocks.block_rows[block]; ++i, ++row) {
      const bool has_key = keys.KindOf(i) == Cell::Kind::kInteger;
      if (times.KindOf(i) != Cell::Kind::kInteger ||
          (!has_key && keys.KindOf(i) != Cell::Kind::kNull)) {
        return std::nullopt;
      }
      size_t number = 0;
      if (has_key) {
        const uint32_t found = numbers.Add(static_cast<uint64_t>(keys.values[i]));
        if (found == facts::KoidIndex::kNone) return std::nullopt;
        number = size_t{found} + 1;
        if (number >= partitions.size()) partitions.resize(number + 1);
      }
      Partition& partition = partitions[number];
      const int64_t time = times.values[i];
      const bool is_first = partition.rows++ == 0;
      if (!is_first &&
          (time < partition.last_time || (must_ascend && time == partition.last_time))) {
        return std::nullopt;
      }
      partition.last_time = time;
      const Cell::Kind kind = query.column ? of_column.KindOf(i) : Cell::Kind::kNull;
      if (kind != Cell::Kind::kNull && kind != Cell::Kind::kInteger) return std::nullopt;
      const bool is_null = kind == Cell::Kind::kNull;
      const int64_t value = is_null ? 0 : of_column.values[i];
      switch (query.kind) {
        case WindowKind::kLag:
          made.is_null_[row] = partition.is_null;
          made.values_[row] = partition.value;
          partition.is_null = is_null;
          partition.value = value;
          break;
        case WindowKind::kLead:
          if (!is_first) {
            made.is_null_[partition.last_row] = is_null;
            made.values_[partition.last_row] = value;
          }
          break;
        case WindowKind::kRowNumber:
          made.values_[row] = static_cast<int64_t>(partition.rows);
          break;
        case WindowKind::kCount:
          partition.count += !query.column || !is_null ? 1 : 0;
          made.values_[row] = partition.count;
          break;
        case WindowKind::kSum:
          if (__builtin_add_overflow(partition.value, value, &partition.value)) return std::nullopt;
          partition.is_null = partition.is_null && is_null;
          made.is_null_[row] = partition.is_null;
          made.values_[row] = partition.value;
          break;
      }
      partition.last_row = row;
    }
  }
  if (looks_ahead) {
    for (const Partition& partition : partitions) {
      if (partition.rows != 0) made.is_null_[partition.last_row] = true;
    }
  }
  return made;
}

}  // namespace query
