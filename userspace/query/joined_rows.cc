// SPDX-License-Identifier: BSD-2-Clause
#include "query/joined_rows.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "query/ordered_rows.h"

namespace query {
namespace {

using columns::ColumnValues;
using tables::Cell;
using Kind = Expression::Kind;

constexpr uint32_t kNoRow = UINT32_MAX;

uint64_t BitOf(size_t number) { return uint64_t{1} << number; }

// Bits of the relations whose columns the expression has.
uint64_t RelationsOf(const Expression& expression) {
  uint64_t bits = 0;
  ForEachColumn(expression, [&](ColumnRef column) { bits |= BitOf(column.relation); });
  return bits;
}

uint64_t AllColumnsOf(tables::Table table) { return BitOf(InfoOf(table).columns.size()) - 1; }

void AddTerms(const Expression& condition, std::vector<const Expression*>& terms) {
  if (condition.kind != Kind::kAnd) return terms.push_back(&condition);
  for (const Expression& operand : condition.operands) AddTerms(operand, terms);
}

bool IsRange(Kind kind) { return kind >= Kind::kLess && kind <= Kind::kGreaterEqual; }

}  // namespace

// Rows that combine one row of the base with one of each relation so far.
class JoinedRows::Batch final : public ExpressionRows {
 public:
  explicit Batch(JoinedRows& of)
      : of_(of), places_(of.query_.relations.size()), columns_(of.query_.relations.size()) {
    for (size_t i = 0; i < columns_.size(); ++i)
      columns_[i].resize(of.query_.relations[i].columns.size());
  }

  size_t size() const override { return size_; }

  const ColumnValues* Column(ColumnRef column) override {
    Gathered& gathered = columns_[column.relation][column.column];
    if (gathered.is_there) return gathered.source;
    const ColumnValues* const source = of_.SourceOf(column);
    if (source == nullptr) return nullptr;
    gathered.is_there = true;
    gathered.source = source;
    if (is_whole_block_) return source;
    Gather(*source, places_[column.relation], gathered.values);
    gathered.source = &gathered.values;
    return gathered.source;
  }

  // Rows of the block; `is_whole`: all of them.
  void Set(std::vector<uint32_t>& rows, bool is_whole) {
    Clear();
    places_[of_.base_].swap(rows);
    size_ = places_[of_.base_].size();
    is_whole_block_ = is_whole;
  }
  // Adds a pair of a row of `before` and one of a further relation; Finish() makes rows of the
  // pairs.
  bool Add(uint32_t row_before, uint32_t row) {
    from_.push_back(row_before);
    rows_.push_back(row);
    return rows_.size() < kBatchRows;
  }
  void Finish(const Batch& before, size_t relation) {
    Clear();
    for (size_t i = 0; i < places_.size(); ++i) {
      if (before.places_[i].empty()) continue;
      places_[i].resize(from_.size());
      for (size_t row = 0; row < from_.size(); ++row)
        places_[i][row] = before.places_[i][from_[row]];
    }
    places_[relation].swap(rows_);
    size_ = from_.size();
    from_.clear();
    rows_.clear();
  }
  // Keeps only the rows with these numbers, which ascend.
  void Keep(const std::vector<uint32_t>& rows) {
    if (rows.size() == size_) return;
    for (auto& places : places_) {
      if (places.empty()) continue;
      for (size_t i = 0; i < rows.size(); ++i) places[i] = places[rows[i]];
      places.resize(rows.size());
    }
    size_ = rows.size();
    Forget();
  }

 private:
  struct Gathered {
    bool is_there = false;
    const ColumnValues* source = nullptr;
    ColumnValues values;
  };

  void Clear() {
    for (auto& places : places_) places.clear();
    size_ = 0;
    Forget();
  }
  void Forget() {
    is_whole_block_ = false;
    for (auto& columns : columns_) {
      for (Gathered& each : columns) each.is_there = false;
    }
  }

  static void Gather(const ColumnValues& from, const std::vector<uint32_t>& rows,
                     ColumnValues& to) {
    to.rows = rows.size();
    to.kind = from.kind;
    to.texts = from.texts;
    to.values.resize(rows.size());
    const bool has_missing = std::find(rows.begin(), rows.end(), kNoRow) != rows.end();
    to.kinds.resize(from.kinds.empty() && !has_missing ? 0 : rows.size());
    const bool is_null = from.values.empty();
    for (size_t i = 0; i < rows.size(); ++i) {
      to.values[i] = rows[i] == kNoRow || is_null ? 0 : from.values[rows[i]];
    }
    for (size_t i = 0; i < to.kinds.size(); ++i) {
      to.kinds[i] =
          static_cast<uint8_t>(rows[i] == kNoRow ? Cell::Kind::kNull : from.KindOf(rows[i]));
    }
  }

  JoinedRows& of_;
  size_t size_ = 0;
  bool is_whole_block_ = false;
  std::vector<std::vector<uint32_t>> places_;  // rows of each relation; empty: not joined yet
  std::vector<std::vector<Gathered>> columns_;
  std::vector<uint32_t> from_;
  std::vector<uint32_t> rows_;
};

JoinedRows::JoinedRows(const GroupQuery& query, const GroupInput& input)
    : query_(query),
      input_(input),
      relations_(query.relations.size()),
      has_failed_(query.relations.size()) {}
JoinedRows::~JoinedRows() = default;

bool JoinedRows::Prepare() {
  if (!LoadScalars()) return false;
  // The table with the most rows is read from its columns, unless the others then have too many
  // rows.
  std::vector<std::pair<uint64_t, size_t>> candidates;
  for (size_t i = 0; i < query_.relations.size(); ++i) {
    const GroupRelation& relation = query_.relations[i];
    if (relation.ordered && !relation.is_left) candidates.emplace_back(UINT64_MAX, i);
    if (!relation.table) continue;
    const auto file = input_.table(*relation.table, relation.used & AllColumnsOf(*relation.table));
    if (!file) return false;
    const uint64_t rows = file->table(*relation.table).rows;
    has_failed_[i] = rows > Relation::kMaxRows && relation.own.empty();
    if (!relation.is_left) candidates.emplace_back(rows, i);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [rows, base] : candidates) {
    if (LoadOthers(base)) return Plan(base);
  }
  return false;
}

bool JoinedRows::LoadScalars() {
  for (const std::string& select : query_.scalars) {
    Relation& rows = *scalar_rows_.emplace_back(std::make_unique<Relation>(1));
    if (!input_.load(select, rows)) return false;
    scalars_.push_back(rows.rows() == 0 ? Cell() : CellOf(rows.column(0), 0));
  }
  return true;
}

bool JoinedRows::LoadOthers(size_t base) {
  for (size_t i = 0; i < query_.relations.size(); ++i) {
    if (i != base && !Load(i)) return false;
  }
  relations_[base].reset();
  return true;
}

bool JoinedRows::Load(size_t number) {
  if (relations_[number] != nullptr || has_failed_[number]) return !has_failed_[number];
  const GroupRelation& relation = query_.relations[number];
  std::string columns;
  for (size_t i = 0; i < relation.columns.size(); ++i) {
    if ((relation.used >> i & 1) == 0) continue;
    columns += columns.empty() ? "\"" : ", \"";
    for (const char c : relation.columns[i].name)
      columns += c == '"' ? std::string("\"\"") : std::string(1, c);
    columns += '"';
  }
  std::string select =
      relation.before + "SELECT " + (columns.empty() ? "1" : columns) + relation.from;
  for (const std::string& own : relation.own)
    select += (&own == relation.own.data() ? " WHERE (" : " AND (") + own + ")";
  auto rows = std::make_unique<Relation>(std::max(1, std::popcount(relation.used)));
  has_failed_[number] = !input_.load(select, *rows);
  rows->Seal();
  if (!has_failed_[number]) relations_[number] = std::move(rows);
  return !has_failed_[number];
}

void JoinedRows::Fold(Expression& expression) {
  const auto set = [&](const Cell& value) {
    expression = Expression{.kind = Kind::kScalar, .number = static_cast<int64_t>(scalars_.size())};
    scalars_.push_back(value);
  };
  if (expression.kind == Kind::kColumn) {
    const size_t relation = expression.column.relation;
    const bool is_one = relation != base_ && !query_.relations[relation].is_left &&
                        relations_[relation]->rows() == 1;
    if (is_one) set(CellOf(*SourceOf(expression.column), 0));
    return;
  }
  for (Expression& operand : expression.operands) Fold(operand);
  const bool is_constant =
      std::all_of(expression.operands.begin(), expression.operands.end(),
                  [](const Expression& operand) { return operand.IsConstant(); });
  if (expression.operands.empty() || !is_constant) return;
  std::vector<Cell> cells;
  for (const Expression& operand : expression.operands) {
    cells.push_back(operand.kind == Kind::kScalar ? scalars_[static_cast<size_t>(operand.number)]
                                                  : ConstantOf(operand));
  }
  const auto value = Evaluate(expression.kind, cells);
  // A text would belong to an expression that has been destroyed.
  if (value && value->kind != Cell::Kind::kText) set(*value);
}

bool JoinedRows::Plan(size_t base) {
  base_ = base;
  const GroupRelation& relation = query_.relations[base];
  if (relation.table) {
    auto file = input_.table(*relation.table, relation.used & AllColumnsOf(*relation.table));
    if (!file) return false;
    table_rows_ = file->table(*relation.table).rows;
    blocks_ = std::make_unique<TableRowBlocks>(std::move(file), *relation.table, input_.windows);
  } else {
    auto rows = std::make_unique<OrderedRows>(*relation.ordered, input_);
    if (!rows->Prepare()) return false;
    blocks_ = std::move(rows);
  }
  values_.resize(query_.relations[base].columns.size());
  std::vector<const Expression*> terms;
  conditions_ = query_.conditions;
  for (Expression& condition : conditions_) {
    Fold(condition);
    AddTerms(condition, terms);
  }
  std::erase_if(terms, [&](const Expression* term) {
    if (!relation.table || RelationsOf(*term) != BitOf(base)) return false;
    auto condition = ConditionOf(*term, InfoOf(*relation.table), scalars_);
    if (condition) block_conditions_.push_back(std::move(*condition));
    return condition.has_value();
  });
  uint64_t there = BitOf(base);
  steps_.emplace_back().relation = base;
  TakeConditions(there, terms, steps_.back());
  while (steps_.size() < query_.relations.size()) {
    if (!AddStep(there, terms)) return false;
  }
  for (size_t i = 0; i < steps_.size(); ++i) batches_.push_back(std::make_unique<Batch>(*this));
  ranges_.resize(steps_.size());
  return true;
}

std::vector<JoinedRows::Bound> JoinedRows::BoundsOf(
    size_t relation, uint64_t there, const std::vector<const Expression*>& terms) const {
  std::vector<Bound> bounds;
  for (const Expression* term : terms) {
    if (term->kind != Kind::kEqual && !IsRange(term->kind)) continue;
    for (const size_t side : {0, 1}) {
      const Expression& column = term->operands[side];
      const Expression& value = term->operands[1 - side];
      if (column.kind != Kind::kColumn || column.column.relation != relation ||
          (RelationsOf(value) & ~there) != 0)
        continue;
      bounds.push_back(
          {column.column.column, &value, side == 0 ? term->kind : MirroredKind(term->kind), term});
      break;
    }
  }
  return bounds;
}

bool JoinedRows::AddStep(uint64_t& there, std::vector<const Expression*>& terms) {
  // Relations with more selective conditions come first.
  enum Rank { kNoRank, kByAll, kBySome, kByEqual };
  Rank best = kNoRank;
  size_t next = 0;
  std::vector<Bound> found;
  for (size_t i = 0; i < query_.relations.size(); ++i) {
    if ((there & BitOf(i)) != 0) continue;
    const GroupRelation& relation = query_.relations[i];
    std::vector<const Expression*> on;
    for (const Expression& condition : relation.on) AddTerms(condition, on);
    auto bounds = BoundsOf(i, there, relation.is_left ? on : terms);
    const auto equal = std::find_if(bounds.begin(), bounds.end(),
                                    [](const Bound& bound) { return bound.kind == Kind::kEqual; });
    if (equal != bounds.end()) bounds = {*equal};
    const bool is_equal = bounds.size() == 1 && bounds[0].kind == Kind::kEqual;
    // Remaining conditions of a LEFT JOIN would have to be checked before a row is known to have no
    // match.
    if (relation.is_left && !(is_equal && on.size() == 1)) continue;
    const Rank rank = is_equal ? kByEqual : bounds.empty() ? kByAll : kBySome;
    if (rank <= best) continue;
    best = rank;
    next = i;
    found = std::move(bounds);
  }
  if (best == kNoRank) return false;
  Step& step = steps_.emplace_back();
  step.relation = next;
  step.is_left = query_.relations[next].is_left;
  step.is_range = best == kBySome;
  Relation& rows = *relations_[next];
  std::optional<uint8_t> column;
  for (const Bound& bound : found) {
    const bool is_high = bound.kind == Kind::kLess || bound.kind == Kind::kLessEqual;
    auto& value = is_high ? step.high : step.low;
    if ((column && column != bound.column) || value) continue;
    column = bound.column;
    value = std::make_unique<ExpressionValues>(*bound.value, scalars_);
    (is_high ? step.below_high : step.above_low) =
        bound.kind == Kind::kLess || bound.kind == Kind::kGreater ? 1 : 0;
    std::erase(terms, bound.term);
  }
  if (column) {
    const uint64_t before = query_.relations[next].used & (BitOf(*column) - 1);
    if (!rows.OrderBy(static_cast<size_t>(std::popcount(before))) ||
        (step.is_range && rows.is_of_texts()))
      return false;
  }
  there |= BitOf(next);
  TakeConditions(there, terms, step);
  return true;
}

void JoinedRows::TakeConditions(uint64_t there, std::vector<const Expression*>& terms, Step& step) {
  std::erase_if(terms, [&](const Expression* term) {
    const uint64_t relations = RelationsOf(*term);
    if ((relations & ~there) != 0) return false;
    // Conditions on one relation have selected its rows already.
    const bool is_done = std::has_single_bit(relations) && relations != BitOf(base_) &&
                         !step.is_left && relations == BitOf(step.relation);
    if (!is_done) step.conditions.emplace_back(*term, scalars_);
    return true;
  });
}

bool JoinedRows::ForEachBatch(const std::function<bool(ExpressionRows&)>& each) {
  each_ = &each;
  while (blocks_->Next()) {
    if (!AddBlock()) return false;
  }
  return true;
}

bool JoinedRows::AddBlock() {
  loaded_ = 0;
  const size_t rows = blocks_->rows();
  std::vector<uint32_t> chosen(rows);
  std::iota(chosen.begin(), chosen.end(), 0);
  for (const ColumnCondition& condition : block_conditions_) {
    if (blocks_->MeetsNone(condition)) return true;
    const ColumnValues* values = SourceOf({static_cast<uint8_t>(base_), condition.column});
    if (values == nullptr || !Choose(condition, *values, chosen)) return false;
    if (chosen.empty()) return true;
  }
  batches_[0]->Set(chosen, chosen.size() == rows);
  return Flush(0);
}

const ColumnValues* JoinedRows::SourceOf(ColumnRef column) {
  if (column.relation != base_) {
    const uint64_t before = query_.relations[column.relation].used & (BitOf(column.column) - 1);
    return &relations_[column.relation]->column(static_cast<size_t>(std::popcount(before)));
  }
  ColumnValues& values = values_[column.column];
  if ((loaded_ >> column.column & 1) == 0) {
    if (!blocks_->Read(column.column, values)) return nullptr;
    if (values.values.empty()) values.values.resize(values.rows);  // all are NULL
    loaded_ |= BitOf(column.column);
  }
  return &values;
}

// The work on the rows of a level.
bool JoinedRows::Flush(size_t level) {
  Batch& batch = *batches_[level];
  if (input_.cancelled && input_.cancelled()) return false;
  if (!Filter(batch, steps_[level].conditions)) return false;
  if (batch.size() == 0) return true;
  return level + 1 == steps_.size() ? (*each_)(batch) : Join(level + 1);
}

bool JoinedRows::Filter(Batch& batch, std::vector<ExpressionValues>& conditions) {
  std::vector<uint32_t> kept;
  for (ExpressionValues& condition : conditions) {
    const ColumnValues* values = condition.Of(batch);
    if (values == nullptr) return false;
    kept.clear();
    const bool are_whole = values->kinds.empty() && values->kind == Cell::Kind::kInteger;
    for (uint32_t row = 0; row < batch.size(); ++row) {
      const auto is_true =
          are_whole ? std::optional(values->values[row] != 0) : IsTrue(CellOf(*values, row));
      if (!is_true) return false;
      if (*is_true) kept.push_back(row);
    }
    batch.Keep(kept);
    if (kept.empty()) return true;
  }
  return true;
}

bool JoinedRows::FindRange(Step& step, ExpressionRows& rows) {
  const Relation& relation = *relations_[step.relation];
  std::vector<Relation::Range>& ranges = ranges_[static_cast<size_t>(&step - steps_.data())];
  ranges.assign(rows.size(), {0, static_cast<uint32_t>(relation.rows())});
  if (!step.low && !step.high) return true;
  const ColumnValues* low = step.low ? step.low->Of(rows) : nullptr;
  const ColumnValues* high = step.high ? step.high->Of(rows) : nullptr;
  if ((step.low && low == nullptr) || (step.high && high == nullptr)) return false;
  const Cell::Kind wanted = relation.is_of_texts() ? Cell::Kind::kText : Cell::Kind::kInteger;
  std::vector<int64_t> numbers;  // of the texts
  if (relation.is_of_texts() && low != nullptr) {
    for (const std::string_view text : low->texts) numbers.push_back(relation.NumberOf(text));
  }
  int64_t last_from = 0;
  int64_t last_to = 0;
  Relation::Range last = relation.Between(0, 0);
  for (size_t row = 0; row < rows.size(); ++row) {
    bool is_null = false;
    for (const ColumnValues* values : {low, high}) {
      if (values == nullptr) continue;
      const Cell::Kind kind = values->KindOf(row);
      is_null |= kind == Cell::Kind::kNull;
      if (kind != Cell::Kind::kNull && kind != wanted && relation.rows() != 0) return false;
    }
    if (is_null || relation.rows() == 0) {
      ranges[row] = {};
      continue;
    }
    int64_t from = low != nullptr ? low->values[row] : INT64_MIN;
    if (!numbers.empty()) from = numbers[static_cast<size_t>(from)];
    int64_t to = high != nullptr ? high->values[row] : step.is_range ? INT64_MAX : from;
    if (__builtin_add_overflow(from, step.above_low, &from) ||
        __builtin_sub_overflow(to, step.below_high, &to)) {
      ranges[row] = {};
      continue;
    }
    if (from != last_from || to != last_to) {
      last = relation.Between(from, to);
      last_from = from;
      last_to = to;
    }
    ranges[row] = last;
  }
  return true;
}

bool JoinedRows::Join(size_t level) {
  Step& step = steps_[level];
  Batch& before = *batches_[level - 1];
  Batch& batch = *batches_[level];
  const Relation& relation = *relations_[step.relation];
  const bool is_ordered = step.low || step.high;
  if (!FindRange(step, before)) return false;
  const auto add = [&](uint32_t row, uint32_t of_relation) {
    if (batch.Add(row, of_relation)) return true;
    batch.Finish(before, step.relation);
    return Flush(level);
  };
  for (uint32_t row = 0; row < before.size(); ++row) {
    const Relation::Range range = ranges_[level][row];
    for (uint32_t place = range.from; place < range.to; ++place) {
      if (!add(row, is_ordered ? relation.RowAt(place) : place)) return false;
    }
    if (range.from == range.to && step.is_left && !add(row, kNoRow)) return false;
  }
  batch.Finish(before, step.relation);
  return Flush(level);
}

}  // namespace query
