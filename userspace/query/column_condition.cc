// SPDX-License-Identifier: BSD-2-Clause
#include "query/column_condition.h"

#include <algorithm>

#include "query/expression_values.h"

namespace query {
namespace {

using columns::ColumnValues;
using tables::Cell;

template <typename IsChosen>
void Keep(std::vector<uint32_t>& rows, IsChosen&& is_chosen) {
  size_t kept = 0;
  for (const uint32_t row : rows) {
    rows[kept] = row;
    kept += is_chosen(row) ? 1 : 0;
  }
  rows.resize(kept);
}

template <typename Value>
bool Has(const std::vector<Value>& list, const auto& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool HasOthers(const ColumnValues& values, Cell::Kind wanted) {
  if (values.kinds.empty()) return values.kind != Cell::Kind::kNull && values.kind != wanted;
  return std::any_of(values.kinds.begin(), values.kinds.end(), [&](uint8_t kind) {
    return kind != static_cast<uint8_t>(Cell::Kind::kNull) && kind != static_cast<uint8_t>(wanted);
  });
}

// Adds a constant to those of a condition. False: it is not of the type of the column.
bool AddConstant(const Cell& constant, ColumnCondition& condition) {
  if (constant.kind != (condition.is_text ? Cell::Kind::kText : Cell::Kind::kInteger)) return false;
  if (condition.is_text) {
    condition.texts.emplace_back(constant.view());
  } else {
    condition.numbers.push_back(constant.integer);
  }
  return true;
}

// `kind` is one of kLess to kGreaterEqual.
bool SetRange(Expression::Kind kind, int64_t number, ColumnCondition& condition) {
  using Kind = Expression::Kind;
  condition.kind = ColumnCondition::Kind::kFromTo;
  const bool is_below = kind == Kind::kLess || kind == Kind::kLessEqual;
  if ((kind == Kind::kLess && number == INT64_MIN) ||
      (kind == Kind::kGreater && number == INT64_MAX))
    return false;
  if (is_below)
    condition.to = kind == Kind::kLess ? number - 1 : number;
  else
    condition.from = kind == Kind::kGreater ? number + 1 : number;
  return true;
}

}  // namespace

std::optional<ColumnCondition> ConditionOf(const Expression& expression,
                                           const tables::TableInfo& info,
                                           std::span<const Cell> scalars) {
  using Kind = Expression::Kind;
  const bool is_not_in = expression.kind == Kind::kNot && expression.operands[0].kind == Kind::kIn;
  const Expression& of = is_not_in ? expression.operands[0] : expression;
  const bool is_mirrored = of.operands.size() == 2 && of.operands[1].kind == Kind::kColumn;
  const Expression& column = of.operands.empty() ? of : of.operands[is_mirrored ? 1 : 0];
  if (column.kind != Kind::kColumn) return std::nullopt;
  ColumnCondition condition{.column = column.column.column};
  if (condition.column >= info.columns.size()) return std::nullopt;  // a window
  const tables::Type type = info.columns[condition.column].type;
  if (type == tables::Type::kReal) return std::nullopt;
  condition.is_text = type == tables::Type::kText;
  if (of.kind == Kind::kColumn) {  // true if it is not 0
    condition.kind = ColumnCondition::Kind::kNotIn;
    condition.numbers.push_back(0);
    return condition.is_text ? std::nullopt : std::optional(condition);
  }
  const auto constant_of = [&](const Expression& constant) {
    return constant.kind == Kind::kScalar ? scalars[static_cast<size_t>(constant.number)]
                                          : ConstantOf(constant);
  };
  const auto constants =
      std::span(of.operands).subspan(is_mirrored ? 0 : 1, of.operands.size() - 1);
  for (const Expression& constant : constants) {
    if (!constant.IsConstant()) return std::nullopt;
    const Cell value = constant_of(constant);
    if (value.is_null() && (of.kind == Kind::kIs || of.kind == Kind::kIsNot)) {
      condition.kind =
          of.kind == Kind::kIs ? ColumnCondition::Kind::kIsNull : ColumnCondition::Kind::kIsNotNull;
      return condition;
    }
    if (!AddConstant(value, condition)) return std::nullopt;
  }
  switch (is_mirrored ? MirroredKind(of.kind) : of.kind) {
    case Kind::kEqual:
    case Kind::kIs:
    case Kind::kIn:
      condition.kind = is_not_in ? ColumnCondition::Kind::kNotIn : ColumnCondition::Kind::kIn;
      return condition;
    case Kind::kNotEqual:
      condition.kind = ColumnCondition::Kind::kNotIn;
      return condition;
    case Kind::kLess:
    case Kind::kLessEqual:
    case Kind::kGreater:
    case Kind::kGreaterEqual:
      if (condition.is_text || !SetRange(is_mirrored ? MirroredKind(of.kind) : of.kind,
                                         condition.numbers[0], condition)) {
        return std::nullopt;
      }
      return condition;
    default:
      return std::nullopt;
  }
}

bool MeetsNone(const ColumnCondition& condition, const columns::BlockEntry& entry) {
  if (entry.encoding == columns::Encoding::kNull) {
    return condition.kind != ColumnCondition::Kind::kIsNull;
  }
  if (entry.encoding != columns::Encoding::kValues || entry.kind != Cell::Kind::kInteger) {
    return false;
  }
  if (condition.kind == ColumnCondition::Kind::kFromTo) {
    return entry.high < condition.from || entry.low > condition.to;
  }
  return condition.kind == ColumnCondition::Kind::kIn &&
         std::none_of(condition.numbers.begin(), condition.numbers.end(),
                      [&](int64_t number) { return number >= entry.low && number <= entry.high; });
}

bool Choose(const ColumnCondition& condition, const ColumnValues& values,
            std::vector<uint32_t>& rows) {
  if (HasOthers(values, condition.is_text ? Cell::Kind::kText : Cell::Kind::kInteger)) return false;
  const auto is_null = [&](uint32_t row) { return values.KindOf(row) == Cell::Kind::kNull; };
  const bool is_in = condition.kind == ColumnCondition::Kind::kIn;
  switch (condition.kind) {
    case ColumnCondition::Kind::kIsNull:
      Keep(rows, is_null);
      break;
    case ColumnCondition::Kind::kIsNotNull:
      Keep(rows, [&](uint32_t row) { return !is_null(row); });
      break;
    case ColumnCondition::Kind::kFromTo:
      Keep(rows, [&](uint32_t row) {
        return !is_null(row) && values.values[row] >= condition.from &&
               values.values[row] <= condition.to;
      });
      break;
    default:
      if (condition.is_text) {
        std::vector<bool> is_listed(values.texts.size());
        for (size_t i = 0; i < is_listed.size(); ++i) {
          is_listed[i] = Has(condition.texts, values.texts[i]);
        }
        Keep(rows, [&](uint32_t row) {
          return !is_null(row) && is_listed[static_cast<size_t>(values.values[row])] == is_in;
        });
      } else {
        Keep(rows, [&](uint32_t row) {
          return !is_null(row) && Has(condition.numbers, values.values[row]) == is_in;
        });
      }
  }
  return true;
}

}  // namespace query
