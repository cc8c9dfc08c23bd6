// SPDX-License-Identifier: BSD-2-Clause
#include "query/column_condition.h"

#include <algorithm>

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

}  // namespace

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
         std::none_of(condition.numbers.begin(), condition.numbers.end(), [&](int64_t number) {
           return number >= entry.low && number <= entry.high;
         });
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
