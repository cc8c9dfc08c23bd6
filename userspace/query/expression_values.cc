// SPDX-License-Identifier: BSD-2-Clause
#include "query/expression_values.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace query {
namespace {

using columns::ColumnValues;
using tables::Cell;
using Kind = Expression::Kind;

double RealOf(const Cell& cell) {
  return cell.kind == Cell::Kind::kReal ? cell.real : static_cast<double>(cell.integer);
}

template <typename Value>
int Sign(const Value& a, const Value& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// As sqlite3IntFloatCompare().
int CompareWithReal(int64_t whole, double real) {
  if (real < -9223372036854775808.0) return 1;
  if (real >= 9223372036854775808.0) return -1;
  const auto part = static_cast<int64_t>(real);
  return whole != part ? Sign(whole, part) : Sign(static_cast<double>(whole), real);
}

bool IsComparison(Kind kind) { return kind >= Kind::kEqual && kind <= Kind::kIsNot; }

bool HoldsFor(Kind kind, int order) {
  switch (kind) {
    case Kind::kEqual:
    case Kind::kIs:
      return order == 0;
    case Kind::kNotEqual:
    case Kind::kIsNot:
      return order != 0;
    case Kind::kLess:
      return order < 0;
    case Kind::kLessEqual:
      return order <= 0;
    case Kind::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

// False: the result is beyond 64 bits.
bool Calculate(Kind kind, int64_t left, int64_t right, int64_t& result) {
  switch (kind) {
    case Kind::kAdd:
      return !__builtin_add_overflow(left, right, &result);
    case Kind::kSubtract:
      return !__builtin_sub_overflow(left, right, &result);
    case Kind::kMultiply:
      return !__builtin_mul_overflow(left, right, &result);
    case Kind::kDivide:
      if (right == -1) return !__builtin_sub_overflow(int64_t{0}, left, &result);
      result = left / right;
      return true;
    default:
      result = right == -1 ? 0 : left % right;
      return true;
  }
}

// Empty: the result of SQLite is unknown.
std::optional<Cell> Calculated(Kind kind, const Cell& left, const Cell& right) {
  Cell result;
  if (left.kind == Cell::Kind::kText || right.kind == Cell::Kind::kText) return std::nullopt;
  if (left.is_null() || right.is_null()) return result;
  const bool divides = kind == Kind::kDivide || kind == Kind::kModulo;
  if (left.kind == Cell::Kind::kInteger && right.kind == Cell::Kind::kInteger) {
    if (divides && right.integer == 0) return result;
    int64_t number = 0;
    if (!Calculate(kind, left.integer, right.integer, number)) return std::nullopt;
    result.Set(number);
    return result;
  }
  const double a = RealOf(left);
  const double b = RealOf(right);
  if (kind == Kind::kModulo) return std::nullopt;
  if (divides && b == 0) return result;
  const double real = kind == Kind::kAdd        ? a + b
                      : kind == Kind::kSubtract ? a - b
                      : kind == Kind::kMultiply ? a * b
                                                : a / b;
  if (!std::isnan(real)) result.Set(real);
  return result;
}

Cell TruthOf(bool value) {
  Cell cell;
  cell.Set(int64_t{value});
  return cell;
}

// Comparisons and connectives have three values, with NULL.
std::optional<Cell> Compared(Kind kind, const Cell& left, const Cell& right) {
  const bool knows_null = kind == Kind::kIs || kind == Kind::kIsNot;
  if (left.is_null() || right.is_null()) {
    if (!knows_null) return Cell();
    return TruthOf((left.is_null() && right.is_null()) == (kind == Kind::kIs));
  }
  const auto order = CompareCells(left, right);
  return order ? std::optional(TruthOf(HoldsFor(kind, *order))) : std::nullopt;
}

std::optional<Cell> Connected(Kind kind, const Cell& left, const Cell& right) {
  const auto a = IsTrue(left);
  const auto b = IsTrue(right);
  if (!a || !b) return std::nullopt;
  const bool decides = kind == Kind::kOr;  // the value of one that decides it alone
  if ((!left.is_null() && *a == decides) || (!right.is_null() && *b == decides))
    return TruthOf(decides);
  return left.is_null() || right.is_null() ? Cell() : TruthOf(!decides);
}

// The smallest or largest value, with SQLite's choice among equal ones; NULL if one is NULL.
std::optional<Cell> Extreme(bool is_least, std::span<const Cell> cells) {
  Cell best = cells[0];
  for (const Cell& cell : cells) {
    if (cell.is_null()) return Cell();
    const auto order = CompareCells(cell, best);
    if (!order) return std::nullopt;
    if (is_least ? *order <= 0 : *order > 0) best = cell;
  }
  return best;
}

std::optional<Cell> IsAmong(std::span<const Cell> cells) {
  if (cells[0].is_null()) return Cell();
  bool has_null = false;
  for (const Cell& cell : cells.subspan(1)) {
    has_null |= cell.is_null();
    const auto equal = Compared(Kind::kEqual, cells[0], cell);
    if (!equal) return std::nullopt;
    if (!equal->is_null() && equal->integer != 0) return TruthOf(true);
  }
  return has_null ? Cell() : TruthOf(false);
}

std::optional<Cell> Chosen(std::span<const Cell> cells) {
  for (size_t i = 0; i + 1 < cells.size(); i += 2) {
    const auto holds = IsTrue(cells[i]);
    if (!holds) return std::nullopt;
    if (*holds) return cells[i + 1];
  }
  return cells.size() % 2 != 0 ? cells.back() : Cell();
}

void SetKind(ColumnValues& values, Cell::Kind kind, size_t rows) {
  values.rows = rows;
  values.kind = kind;
  values.kinds.clear();
  values.values.resize(rows);
}

}  // namespace

Cell ConstantOf(const Expression& expression) {
  Cell cell;
  if (expression.kind == Kind::kInteger) cell.Set(expression.number);
  if (expression.kind == Kind::kReal) cell.Set(expression.real);
  if (expression.kind == Kind::kText) cell.Set(std::string_view(expression.text));
  return cell;
}

Cell CellOf(const ColumnValues& values, size_t row) {
  Cell cell;
  const Cell::Kind kind = values.KindOf(row);
  if (kind == Cell::Kind::kText) {
    cell.Set(values.texts[static_cast<size_t>(values.values[row])]);
  } else if (kind != Cell::Kind::kNull) {
    cell.kind = kind;
    cell.integer = values.values[row];
  }
  return cell;
}

std::optional<int> CompareCells(const Cell& a, const Cell& b) {
  if (a.is_null() || b.is_null()) return Sign(a.kind, b.kind);
  const bool is_text = a.kind == Cell::Kind::kText;
  if (is_text != (b.kind == Cell::Kind::kText)) return std::nullopt;
  if (is_text) return a.view().compare(b.view());
  if (a.kind != b.kind) {
    return a.kind == Cell::Kind::kInteger ? CompareWithReal(a.integer, b.real)
                                          : -CompareWithReal(b.integer, a.real);
  }
  return a.kind == Cell::Kind::kInteger ? Sign(a.integer, b.integer) : Sign(a.real, b.real);
}

std::optional<bool> IsTrue(const Cell& value) {
  if (value.kind == Cell::Kind::kText) return std::nullopt;
  return !value.is_null() &&
         (value.kind == Cell::Kind::kReal ? value.real != 0 : value.integer != 0);
}

std::optional<Cell> Evaluate(Kind kind, std::span<const Cell> cells) {
  switch (kind) {
    case Kind::kAnd:
    case Kind::kOr:
      return Connected(kind, cells[0], cells[1]);
    case Kind::kNot: {
      const auto holds = IsTrue(cells[0]);
      if (!holds) return std::nullopt;
      return cells[0].is_null() ? Cell() : TruthOf(!*holds);
    }
    case Kind::kAbsolute: {
      if (cells[0].kind == Cell::Kind::kReal) return std::nullopt;
      Cell zero;
      zero.Set(int64_t{0});
      return !cells[0].is_null() && cells[0].kind == Cell::Kind::kInteger && cells[0].integer < 0
                 ? Calculated(Kind::kSubtract, zero, cells[0])
                 : Calculated(Kind::kAdd, cells[0], zero);
    }
    case Kind::kIn:
      return IsAmong(cells);
    case Kind::kLeast:
    case Kind::kGreatest:
      return Extreme(kind == Kind::kLeast, cells);
    case Kind::kFirstKnown: {
      const auto known = std::find_if(cells.begin(), cells.end(),
                                      [](const Cell& cell) { return !cell.is_null(); });
      return known == cells.end() ? Cell() : *known;
    }
    case Kind::kCase:
      return Chosen(cells);
    default:
      return IsComparison(kind) ? Compared(kind, cells[0], cells[1])
                                : Calculated(kind, cells[0], cells[1]);
  }
}

ExpressionValues::ExpressionValues(const Expression& expression, std::span<const Cell> scalars)
    : expression_(expression), is_constant_(expression.IsConstant()) {
  for (const Expression& operand : expression.operands) operands_.emplace_back(operand, scalars);
  if (!is_constant_) return;
  const Cell cell = expression.kind == Kind::kScalar
                        ? scalars[static_cast<size_t>(expression.number)]
                        : ConstantOf(expression);
  SetKind(values_, cell.kind, 1);
  values_.values[0] = cell.kind == Cell::Kind::kText ? 0 : cell.integer;
  if (cell.kind == Cell::Kind::kText) values_.texts = {cell.view()};
}

bool ExpressionValues::Operand::IsOfIntegers() const {
  if (values->kinds.empty()) return values->kind == Cell::Kind::kInteger;
  static_assert(Cell::Kind::kNull < Cell::Kind::kInteger &&
                Cell::Kind::kInteger < Cell::Kind::kReal);
  return std::all_of(values->kinds.begin(), values->kinds.end(), [](uint8_t kind) {
    return kind <= static_cast<uint8_t>(Cell::Kind::kInteger);
  });
}

std::optional<ExpressionValues::Operand> ExpressionValues::OperandOf(ExpressionRows& rows) {
  const ColumnValues* values = is_constant_ ? &values_ : Compute(rows);
  if (values == nullptr) return std::nullopt;
  return Operand{.values = values, .step = is_constant_ ? size_t{0} : size_t{1}};
}

const ColumnValues* ExpressionValues::Of(ExpressionRows& rows) {
  if (!is_constant_) return Compute(rows);
  if (values_.rows < rows.size()) {
    values_.values.resize(rows.size(), values_.values[0]);
    values_.rows = rows.size();
  }
  return &values_;
}

const ColumnValues* ExpressionValues::Compute(ExpressionRows& rows) {
  if (expression_.kind == Kind::kColumn) return rows.Column(expression_.column);
  std::vector<Operand> operands;
  for (ExpressionValues& each : operands_) {
    const auto operand = each.OperandOf(rows);
    if (!operand) return nullptr;
    operands.push_back(*operand);
  }
  const size_t count = rows.size();
  if (operands.size() == 2 && ComputeIntegers(operands[0], operands[1], count)) return &values_;
  const bool has_real = operands.size() == 2 && (operands[0].values->kind == Cell::Kind::kReal ||
                                                 operands[1].values->kind == Cell::Kind::kReal);
  if (has_real && ComputeReals(operands[0], operands[1], count)) return &values_;
  if (ComputeTexts(operands, count)) return &values_;
  SetKind(values_, Cell::Kind::kNull, count);
  values_.kinds.resize(count);
  values_.texts.clear();
  std::vector<Cell> cells(operands.size());
  for (size_t row = 0; row < count; ++row) {
    for (size_t i = 0; i < operands.size(); ++i) cells[i] = operands[i].at(row);
    if (!Put(row, cells)) return nullptr;
  }
  return &values_;
}

bool ExpressionValues::Put(size_t row, std::span<const Cell> cells) {
  const auto result = Evaluate(expression_.kind, cells);
  if (!result) return false;
  values_.kinds[row] = static_cast<uint8_t>(result->kind);
  values_.values[row] = result->is_null() ? 0 : result->integer;
  if (result->kind == Cell::Kind::kText) {
    // Consecutive rows often have the same text.
    if (values_.texts.empty() || values_.texts.back().data() != result->text ||
        values_.texts.back().size() != result->bytes) {
      values_.texts.push_back(result->view());
    }
    values_.values[row] = static_cast<int64_t>(values_.texts.size() - 1);
  }
  return true;
}

bool ExpressionValues::ComputeIntegers(const Operand& left, const Operand& right, size_t rows) {
  const Kind kind = expression_.kind;
  if (kind > Kind::kIsNot || !left.IsOfIntegers() || !right.IsOfIntegers()) return false;
  const bool has_nulls = !left.values->kinds.empty() || !right.values->kinds.empty();
  if (has_nulls && (kind == Kind::kIs || kind == Kind::kIsNot)) return false;
  SetKind(values_, Cell::Kind::kInteger, rows);
  values_.kinds.resize(has_nulls ? rows : 0);
  for (size_t i = 0; i < values_.kinds.size(); ++i) {
    const bool is_null =
        left.KindAt(i) == Cell::Kind::kNull || right.KindAt(i) == Cell::Kind::kNull;
    values_.kinds[i] = static_cast<uint8_t>(is_null ? Cell::Kind::kNull : Cell::Kind::kInteger);
  }
  int64_t* const to = values_.values.data();
  const int64_t* const a = left.values->values.data();
  const int64_t* const b = right.values->values.data();
  const auto each = [&](auto&& compute) {
    bool fits = true;
    for (size_t i = 0; i < rows; ++i) fits &= compute(a[i * left.step], b[i * right.step], to[i]);
    return fits;
  };
  const auto comparison = [&](auto&& holds) {
    return each([&](int64_t x, int64_t y, int64_t& result) {
      result = holds(x, y) ? 1 : 0;
      return true;
    });
  };
  switch (kind) {
    case Kind::kAdd:
      return each([](int64_t x, int64_t y, int64_t& result) {
        return !__builtin_add_overflow(x, y, &result);
      });
    case Kind::kSubtract:
      return each([](int64_t x, int64_t y, int64_t& result) {
        return !__builtin_sub_overflow(x, y, &result);
      });
    case Kind::kMultiply:
      return each([](int64_t x, int64_t y, int64_t& result) {
        return !__builtin_mul_overflow(x, y, &result);
      });
    case Kind::kDivide:
    case Kind::kModulo:
      return each([&](int64_t x, int64_t y, int64_t& result) {
        return y != 0 && Calculate(kind, x, y, result);
      });
    case Kind::kLess:
      return comparison([](int64_t x, int64_t y) { return x < y; });
    case Kind::kLessEqual:
      return comparison([](int64_t x, int64_t y) { return x <= y; });
    case Kind::kGreater:
      return comparison([](int64_t x, int64_t y) { return x > y; });
    case Kind::kGreaterEqual:
      return comparison([](int64_t x, int64_t y) { return x >= y; });
    case Kind::kEqual:
    case Kind::kIs:
      return comparison([](int64_t x, int64_t y) { return x == y; });
    default:
      return comparison([](int64_t x, int64_t y) { return x != y; });
  }
}

bool ExpressionValues::ComputeReals(const Operand& left, const Operand& right, size_t rows) {
  const Kind kind = expression_.kind;
  const auto is_number = [](const Operand& operand) {
    return operand.values->kinds.empty() && (operand.values->kind == Cell::Kind::kReal ||
                                             operand.values->kind == Cell::Kind::kInteger);
  };
  if (kind != Kind::kAdd && kind != Kind::kSubtract && kind != Kind::kMultiply) return false;
  if (!is_number(left) || !is_number(right)) return false;
  const auto real_at = [](const Operand& operand, size_t row) {
    const int64_t value = operand.values->values[row * operand.step];
    return operand.values->kind == Cell::Kind::kReal ? std::bit_cast<double>(value)
                                                     : static_cast<double>(value);
  };
  SetKind(values_, Cell::Kind::kReal, rows);
  bool are_numbers = true;
  for (size_t row = 0; row < rows; ++row) {
    const double a = real_at(left, row);
    const double b = real_at(right, row);
    const double result = kind == Kind::kAdd ? a + b : kind == Kind::kSubtract ? a - b : a * b;
    are_numbers &= !std::isnan(result);
    values_.values[row] = std::bit_cast<int64_t>(result);
  }
  return are_numbers;
}

bool ExpressionValues::ComputeTexts(std::span<const Operand> operands, size_t rows) {
  const ColumnValues& of = *operands[0].values;
  const bool is_condition = IsComparison(expression_.kind) || expression_.kind == Kind::kIn;
  if (!is_condition || operands[0].step == 0 || of.texts.empty() || of.texts.size() >= rows)
    return false;
  std::vector<Cell> cells(operands.size());
  for (size_t i = 1; i < operands.size(); ++i) {
    if (operands[i].step != 0) return false;
    cells[i] = operands[i].at(0);
  }
  // The result for NULL follows those of the texts.
  std::vector<Cell> results(of.texts.size() + 1);
  bool has_null = false;
  for (size_t i = 0; i < results.size(); ++i) {
    cells[0].SetNull();
    if (i < of.texts.size()) cells[0].Set(of.texts[i]);
    const auto result = Evaluate(expression_.kind, cells);
    if (!result) return false;
    results[i] = *result;
    has_null |= result->is_null();
  }
  SetKind(values_, Cell::Kind::kInteger, rows);
  values_.kinds.resize(has_null ? rows : 0);
  for (size_t row = 0; row < rows; ++row) {
    const Cell::Kind kind = of.KindOf(row);
    if (kind != Cell::Kind::kText && kind != Cell::Kind::kNull) return false;
    const Cell& result =
        results[kind == Cell::Kind::kNull ? of.texts.size() : static_cast<size_t>(of.values[row])];
    values_.values[row] = result.integer;
    if (has_null) values_.kinds[row] = static_cast<uint8_t>(result.kind);
  }
  return true;
}

}  // namespace query
