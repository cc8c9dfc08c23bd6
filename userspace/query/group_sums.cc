// SPDX-License-Identifier: BSD-2-Clause
#include "query/group_sums.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>

#include "fxt/text_map.h"
#include "measure/histogram.h"
#include "query/column_condition.h"
#include "query/concurrency.h"
#include "query/expression_values.h"
#include "query/sqlite_api.h"

namespace query {
namespace {

using columns::ColumnValues;
using tables::Cell;

constexpr uint32_t kMaxGroups = 1 << 17;
// A histogram takes some KiB.
constexpr uint32_t kMaxHistograms = 1 << 14;
// Largest number of pairs of a group and a distinct value; 24 bytes each.
constexpr size_t kMaxDistinct = size_t{1} << 22;
// Largest range of whole numbers with a lookup table.
constexpr uint64_t kMaxRange = 1 << 16;
constexpr uint32_t kNone = UINT32_MAX;
// Whole numbers up to this are exact as reals.
constexpr double kMostExact = 9007199254740992.0;

// Assigns codes from 0 on to whole numbers.
class NumberCodes {
 public:
  explicit NumberCodes(size_t most = kMaxGroups) : most_(most) {}
  // kNone: there are too many.
  uint32_t CodeOf(int64_t number) {
    if (2 * (numbers_.size() + 1) > slots_.size()) Grow();
    uint32_t& slot = Find(number);
    if (slot == 0) {
      if (numbers_.size() == most_) return kNone;
      numbers_.push_back(number);
      slot = static_cast<uint32_t>(numbers_.size());
    }
    return slot - 1;
  }
  int64_t number(uint32_t code) const { return numbers_[code]; }
  size_t size() const { return numbers_.size(); }

 private:
  uint32_t& Find(int64_t number) {
    const size_t last = slots_.size() - 1;
    uint64_t hash = static_cast<uint64_t>(number) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
    size_t at = hash & last;
    while (slots_[at] != 0 && numbers_[slots_[at] - 1] != number) at = (at + 1) & last;
    return slots_[at];
  }
  void Grow() {
    slots_.assign(std::max<size_t>(64, 2 * slots_.size()), 0);
    for (uint32_t i = 0; i < numbers_.size(); ++i) Find(numbers_[i]) = i + 1;
  }

  size_t most_;
  std::vector<int64_t> numbers_;
  std::vector<uint32_t> slots_;  // code + 1; 0: free
};

// Assigns codes to whole numbers and texts: 0 for NULL, others from 1 on.
class CellCodes {
 public:
  explicit CellCodes(std::deque<std::string>& kept) : kept_(kept) {}

  // The codes of all rows. False: there are too many, or values of other types.
  bool Find(const ColumnValues& values, size_t rows, std::vector<uint32_t>& codes) {
    codes.resize(rows);
    of_texts_.assign(values.texts.size(), kNone);
    const Cell::Kind all = values.kinds.empty() ? values.kind : Cell::Kind::kNull;
    if (all == Cell::Kind::kInteger && FindInRange(values, rows, codes)) return true;
    int64_t last_number = 0;
    uint32_t last_code = kNone;
    for (size_t i = 0; i < rows; ++i) {
      const int64_t value = values.values[i];
      switch (values.KindOf(i)) {
        case Cell::Kind::kNull:
          codes[i] = 0;
          continue;
        case Cell::Kind::kText: {
          uint32_t& known = of_texts_[static_cast<size_t>(value)];
          if (known == kNone) known = CodeOf(values.texts[static_cast<size_t>(value)]);
          if (known == kNone) return false;
          codes[i] = known;
          break;
        }
        case Cell::Kind::kInteger:
          if (last_code == kNone || value != last_number) {
            last_number = value;
            last_code = CodeOf(value);
            if (last_code == kNone) return false;
          }
          codes[i] = last_code;
          break;
        case Cell::Kind::kReal:
          return false;
      }
    }
    return !(has_numbers_ && has_texts_);
  }
  Cell CellOf(uint32_t code) const {
    Cell cell;
    if (code == 0) return cell;
    if (has_texts_) {
      cell.Set(texts_[code - 1]);
    } else {
      cell.Set(numbers_.number(code - 1));
    }
    return cell;
  }

 private:
  // Whole numbers in a small range have their codes in a lookup table.
  bool FindInRange(const ColumnValues& values, size_t rows, std::vector<uint32_t>& codes) {
    if (rows == 0) return true;
    const auto begin = values.values.begin();
    const auto [least, most] = std::minmax_element(begin, begin + static_cast<ptrdiff_t>(rows));
    const auto base = static_cast<uint64_t>(*least);
    const uint64_t range = static_cast<uint64_t>(*most) - base;
    if (range >= kMaxRange || range > 2 * rows) return false;
    of_range_.assign(range + 1, kNone);
    for (size_t i = 0; i < rows; ++i) {
      uint32_t& known = of_range_[static_cast<uint64_t>(values.values[i]) - base];
      if (known == kNone) known = CodeOf(values.values[i]);
      if (known == kNone) return false;
      codes[i] = known;
    }
    return true;
  }
  uint32_t CodeOf(int64_t number) {
    has_numbers_ = true;
    const uint32_t code = numbers_.CodeOf(number);
    return code == kNone ? kNone : code + 1;
  }
  uint32_t CodeOf(std::string_view text) {
    has_texts_ = true;
    const auto found = codes_.find(text);
    if (found != codes_.end()) return found->second;
    if (texts_.size() == kMaxGroups) return kNone;
    const std::string& kept = kept_.emplace_back(text);
    texts_.emplace_back(kept);
    codes_.emplace(kept, static_cast<uint32_t>(texts_.size()));
    return static_cast<uint32_t>(texts_.size());
  }

  std::deque<std::string>& kept_;
  bool has_numbers_ = false;
  bool has_texts_ = false;
  NumberCodes numbers_;
  fxt::TextViewMap<uint32_t> codes_;
  std::vector<std::string_view> texts_;
  std::vector<uint32_t> of_texts_;  // codes of the texts of some rows
  std::vector<uint32_t> of_range_;
};

// avg() of SQLite adds in floating point, and from 3.43 on in whole numbers.
bool SumsAreOfDoubles() { return sqlite3_libversion_number() < 3043000; }

// The state of an aggregate, by group.
struct Sums {
  Sums(const GroupValue& value, std::span<const Cell> scalars, std::deque<std::string>& texts)
      : of(value.of, scalars), lengths(value.lengths, scalars), codes(texts) {
    if (value.filter) filter.emplace(*value.filter, scalars);
  }

  ExpressionValues of;
  ExpressionValues lengths;
  std::optional<ExpressionValues> filter;
  std::vector<uint64_t> counts;
  std::vector<int64_t> numbers;
  std::vector<double> reals;
  bool is_real = false;
  std::vector<measure::Histogram> histograms;
  std::vector<Concurrency> concurrencies;
  CellCodes codes;                      // of kCountDistinct and kBeside
  NumberCodes seen{kMaxDistinct};       // groups with codes, of kCountDistinct
  std::vector<uint32_t> code_of_group;  // of kBeside
  std::vector<uint32_t> codes_of_batch;
};

class GroupSummer {
 public:
  GroupSummer(const GroupQuery& query, const GroupInput& input)
      : query_(query), rows_of_(query, input) {}

  std::optional<Groups> Run() {
    if (!rows_of_.Prepare()) return std::nullopt;
    for (const Expression& key : query_.keys) {
      keys_.emplace_back(key, rows_of_.scalars());
      codes_.emplace_back(groups_.texts);
    }
    pairs_.resize(query_.keys.size());
    for (const GroupValue& value : query_.values) {
      sums_.emplace_back(value, rows_of_.scalars(), groups_.texts);
      has_beside_ |= value.kind == GroupValue::Kind::kBeside;
      quantiles_ += value.kind == GroupValue::Kind::kQuantile ? 1 : 0;
      has_extreme_ |= value.kind == GroupValue::Kind::kMin || value.kind == GroupValue::Kind::kMax;
    }
    if (query_.keys.empty()) Resize(1);
    if (!rows_of_.ForEachBatch([this](ExpressionRows& batch) { return AddBatch(batch); }))
      return std::nullopt;
    return Finish();
  }

 private:
  bool AddBatch(ExpressionRows& batch) {
    group_.resize(batch.size());
    std::fill(group_.begin(), group_.end(), 0);
    for (size_t key = 0; key < keys_.size(); ++key) {
      if (!AddKey(key, batch)) return false;
    }
    shown_.clear();
    for (uint32_t row = 0; row < group_.size(); ++row) {
      if (rows_[group_[row]]++ == 0 && has_beside_ && !has_extreme_) Show(row);
    }
    for (size_t value = 0; value < sums_.size(); ++value) {
      if (query_.values[value].kind != GroupValue::Kind::kBeside &&
          !AddValue(query_.values[value], sums_[value], batch)) {
        return false;
      }
    }
    return !has_beside_ || AddBeside(batch, !has_extreme_ && query_.relations.size() > 1);
  }

  // Sets group_ to the codes of a key, together with those of the keys before.
  bool AddKey(size_t number, ExpressionRows& batch) {
    const ColumnValues* values = keys_[number].Of(batch);
    if (values == nullptr || !codes_[number].Find(*values, batch.size(), key_codes_)) return false;
    for (size_t i = 0; i < group_.size(); ++i) {
      uint32_t code = key_codes_[i];
      if (number != 0) {
        const uint64_t pair = uint64_t{group_[i]} << 32 | code;
        code = pairs_[number].CodeOf(static_cast<int64_t>(pair));
        if (code == kNone) return false;
      }
      group_[i] = code;
      most_ = std::max(most_, code);
    }
    if (number + 1 == keys_.size()) Resize(most_ + 1);
    return true;
  }

  void Resize(size_t groups) {
    if (rows_.size() >= groups) return;
    rows_.resize(groups);
    shown_row_.resize(has_beside_ ? groups : 0);
    for (size_t i = 0; i < sums_.size(); ++i) {
      Sums& sums = sums_[i];
      sums.counts.resize(groups);
      switch (query_.values[i].kind) {
        case GroupValue::Kind::kConcurrency:
          sums.concurrencies.resize(groups);
          if (keys_.empty()) sums.concurrencies[0].Reserve(rows_of_.table_rows());
          break;
        case GroupValue::Kind::kQuantile:
          if (groups * quantiles_ <= kMaxHistograms) sums.histograms.resize(groups);
          break;
        case GroupValue::Kind::kBeside:
          sums.code_of_group.resize(groups);
          break;
        default:
          sums.reals.resize(groups);
          sums.numbers.resize(groups);
      }
    }
  }

  // The row that has the values of other columns for its group, so far.
  void Show(uint32_t row) {
    shown_row_[group_[row]] = row;
    shown_.push_back(group_[row]);
  }

  // `must_be_one`: it is unknown which row of a group counts, so all must have the same values.
  bool AddBeside(ExpressionRows& batch, bool must_be_one) {
    for (size_t i = 0; i < sums_.size() && (must_be_one || !shown_.empty()); ++i) {
      if (query_.values[i].kind != GroupValue::Kind::kBeside) continue;
      Sums& sums = sums_[i];
      const ColumnValues* values = sums.of.Of(batch);
      if (values == nullptr || !sums.codes.Find(*values, batch.size(), sums.codes_of_batch))
        return false;
      for (const uint32_t group : shown_)
        sums.code_of_group[group] = sums.codes_of_batch[shown_row_[group]];
      for (size_t row = 0; must_be_one && row < group_.size(); ++row) {
        if (sums.code_of_group[group_[row]] != sums.codes_of_batch[row]) return false;
      }
    }
    return true;
  }

  // The rows that count for a value; null: all. `fails`: unknown.
  const std::vector<uint8_t>* FilterOf(Sums& sums, ExpressionRows& batch, bool& fails) {
    if (!sums.filter) return nullptr;
    const ColumnValues* values = sums.filter->Of(batch);
    fails = values == nullptr;
    is_chosen_.resize(batch.size());
    for (size_t row = 0; row < batch.size() && !fails; ++row) {
      const auto is_true = IsTrue(CellOf(*values, row));
      fails = !is_true;
      is_chosen_[row] = is_true.value_or(false) ? 1 : 0;
    }
    return &is_chosen_;
  }

  bool AddValue(const GroupValue& value, Sums& sums, ExpressionRows& batch) {
    if (value.kind == GroupValue::Kind::kCount && !sums.filter) return true;
    bool fails = false;
    const std::vector<uint8_t>* chosen = FilterOf(sums, batch, fails);
    const ColumnValues* values =
        value.kind == GroupValue::Kind::kCount ? nullptr : sums.of.Of(batch);
    if (fails || (values == nullptr && value.kind != GroupValue::Kind::kCount)) return false;
    const auto for_each_row = [&](auto&& each) {
      for (uint32_t i = 0; i < group_.size(); ++i) {
        if ((chosen == nullptr || (*chosen)[i] != 0) && !each(i, group_[i])) return false;
      }
      return true;
    };
    const auto for_each_number = [&](auto&& each) {
      return for_each_row([&](uint32_t row, uint32_t group) {
        const Cell::Kind kind = values->KindOf(row);
        if (kind == Cell::Kind::kNull) return true;
        if (kind != Cell::Kind::kInteger || !each(row, group, values->values[row])) return false;
        ++sums.counts[group];
        return true;
      });
    };
    switch (value.kind) {
      case GroupValue::Kind::kCount:
        return for_each_row([&](uint32_t, uint32_t group) { return ++sums.counts[group] != 0; });
      case GroupValue::Kind::kCountOf:
        return for_each_row([&](uint32_t row, uint32_t group) {
          sums.counts[group] += values->KindOf(row) != Cell::Kind::kNull ? 1 : 0;
          return true;
        });
      case GroupValue::Kind::kCountDistinct:
        return sums.codes.Find(*values, batch.size(), sums.codes_of_batch) &&
               for_each_row([&](uint32_t row, uint32_t group) {
                 return sums.codes_of_batch[row] == 0 ||
                        CountOnce(sums, group, sums.codes_of_batch[row]);
               });
      case GroupValue::Kind::kSum:
      case GroupValue::Kind::kMean:
        if (HasReals(*values)) return AddReals(*values, sums, chosen);
        return !sums.is_real && for_each_number([&](uint32_t, uint32_t group, int64_t number) {
          if (__builtin_add_overflow(sums.numbers[group], number, &sums.numbers[group]))
            return false;
          if (value.kind != GroupValue::Kind::kMean) return true;
          sums.reals[group] += static_cast<double>(number);
          // Beyond that the result depends on the order of the rows, which SQLite determines in a
          // join.
          return query_.relations.size() == 1 ||
                 (sums.reals[group] < kMostExact && sums.reals[group] > -kMostExact);
        });
      case GroupValue::Kind::kMin:
      case GroupValue::Kind::kMax: {
        // If all values are NULL, the columns are those of the last row of the group.
        const auto add = [&](uint32_t row, uint32_t group) {
          const Cell::Kind kind = values->KindOf(row);
          if (kind != Cell::Kind::kInteger && kind != Cell::Kind::kNull) return false;
          int64_t& best = sums.numbers[group];
          const int64_t number = values->values[row];
          const bool is_null = kind == Cell::Kind::kNull;
          const bool is_first = sums.counts[group] == 0;
          const bool is_better =
              value.kind == GroupValue::Kind::kMin ? number < best : number > best;
          if (is_null ? is_first : is_first || is_better) {
            best = number;
            if (has_beside_) Show(row);
          }
          sums.counts[group] += is_null ? 0 : 1;
          return true;
        };
        return for_each_row(add);
      }
      case GroupValue::Kind::kConcurrency:
        return AddIntervals(*values, sums, batch, chosen);
      default:
        return sums.histograms.size() == rows_.size() &&
               for_each_number([&](uint32_t, uint32_t group, int64_t number) {
                 if (number < 0) return false;
                 sums.histograms[group].Add(static_cast<uint64_t>(number));
                 return true;
               });
    }
  }

  bool CountOnce(Sums& sums, uint32_t group, uint32_t code) {
    const size_t before = sums.seen.size();
    if (sums.seen.CodeOf(static_cast<int64_t>(uint64_t{group} << 32 | code)) == kNone) return false;
    const size_t added = sums.seen.size() - before;
    sums.counts[group] += added;
    distinct_ += added;
    return distinct_ <= kMaxDistinct;
  }

  static bool HasReals(const ColumnValues& values) {
    return values.kinds.empty()
               ? values.kind == Cell::Kind::kReal
               : std::find(values.kinds.begin(), values.kinds.end(),
                           static_cast<uint8_t>(Cell::Kind::kReal)) != values.kinds.end();
  }
  // The sum of reals depends on their order, which is that of the table only without joins.
  bool AddReals(const ColumnValues& values, Sums& sums, const std::vector<uint8_t>* chosen) {
    if (!SumsAreOfDoubles() || query_.relations.size() != 1) return false;
    if (!sums.is_real && std::any_of(sums.counts.begin(), sums.counts.end(),
                                     [](uint64_t count) { return count != 0; }))
      return false;
    sums.is_real = true;
    for (size_t i = 0; i < group_.size(); ++i) {
      const Cell::Kind kind = values.KindOf(i);
      if (kind == Cell::Kind::kNull || (chosen != nullptr && (*chosen)[i] == 0)) continue;
      if (kind != Cell::Kind::kReal) return false;
      sums.reals[group_[i]] += CellOf(values, i).real;
      ++sums.counts[group_[i]];
    }
    return true;
  }

  bool AddIntervals(const ColumnValues& begins, Sums& sums, ExpressionRows& batch,
                    const std::vector<uint8_t>* chosen) {
    const ColumnValues* lengths = sums.lengths.Of(batch);
    if (lengths == nullptr) return false;
    for (size_t i = 0; i < group_.size(); ++i) {
      const Cell::Kind begin = begins.KindOf(i);
      const Cell::Kind length = lengths->KindOf(i);
      if (begin == Cell::Kind::kNull || length == Cell::Kind::kNull ||
          (chosen != nullptr && (*chosen)[i] == 0))
        continue;
      if (begin != Cell::Kind::kInteger || length != Cell::Kind::kInteger) return false;
      if (lengths->values[i] < 0 || ++intervals_ > Concurrency::kMaxIntervals) return false;
      ++sums.counts[group_[i]];
      if (!sums.concurrencies[group_[i]].Add(begins.values[i], lengths->values[i])) return false;
    }
    return true;
  }

  Cell ValueOf(size_t number, uint32_t group) {
    const GroupValue& value = query_.values[number];
    Sums& sums = sums_[number];
    Cell cell;
    switch (value.kind) {
      case GroupValue::Kind::kBeside:
        return sums.codes.CellOf(sums.code_of_group[group]);
      case GroupValue::Kind::kCount:
        cell.Set(sums.filter ? sums.counts[group] : rows_[group]);
        return cell;
      case GroupValue::Kind::kCountOf:
      case GroupValue::Kind::kCountDistinct:
        cell.Set(sums.counts[group]);
        return cell;
      default:
        break;
    }
    if (sums.counts[group] == 0) return cell;
    switch (value.kind) {
      case GroupValue::Kind::kMean: {
        const bool is_double = sums.is_real || SumsAreOfDoubles();
        const double sum = is_double ? sums.reals[group] : static_cast<double>(sums.numbers[group]);
        cell.Set(sum / static_cast<double>(sums.counts[group]));
        break;
      }
      case GroupValue::Kind::kConcurrency:
        cell.Set(
            std::string_view(groups_.texts.emplace_back(sums.concurrencies[group].TakeJson())));
        break;
      case GroupValue::Kind::kQuantile:
        cell.Set(sums.histograms[group].Quantile(value.q));
        break;
      default:
        if (sums.is_real) {
          cell.Set(sums.reals[group]);
        } else {
          cell.Set(sums.numbers[group]);
        }
    }
    return cell;
  }

  Groups Finish() {
    const size_t keys = keys_.size();
    groups_.width = keys + sums_.size();
    std::vector<std::vector<Cell>> found;
    for (uint32_t group = 0; group < rows_.size(); ++group) {
      if (rows_[group] == 0 && keys != 0) continue;
      std::vector<Cell> cells(keys);
      uint32_t code = group;
      for (size_t key = keys; key-- > 0;) {
        uint32_t own = code;
        if (key != 0) {
          const auto pair = static_cast<uint64_t>(pairs_[key].number(code));
          own = static_cast<uint32_t>(pair);
          code = static_cast<uint32_t>(pair >> 32);
        }
        cells[key] = codes_[key].CellOf(own);
      }
      for (size_t value = 0; value < sums_.size(); ++value) cells.push_back(ValueOf(value, group));
      found.push_back(std::move(cells));
    }
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
      for (size_t key = 0; key < keys; ++key) {
        const Cell& x = a[key];
        const Cell& y = b[key];
        if (x.is_null() != y.is_null()) return x.is_null();
        if (x.is_null()) continue;
        if (x.kind == Cell::Kind::kText) {
          if (const int order = x.view().compare(y.view()); order != 0) return order < 0;
        } else if (x.integer != y.integer) {
          return x.integer < y.integer;
        }
      }
      return false;
    });
    for (const auto& cells : found) {
      groups_.cells.insert(groups_.cells.end(), cells.begin(), cells.end());
    }
    return std::move(groups_);
  }

  const GroupQuery& query_;
  JoinedRows rows_of_;
  Groups groups_;
  std::vector<ExpressionValues> keys_;
  std::vector<CellCodes> codes_;    // of these
  std::vector<NumberCodes> pairs_;  // of the code of the keys before, and that of a key
  std::deque<Sums> sums_;
  std::vector<uint64_t> rows_;  // by group
  uint32_t most_ = 0;
  size_t intervals_ = 0;  // of all values, as the next two are
  size_t distinct_ = 0;
  size_t quantiles_ = 0;
  bool has_beside_ = false;
  bool has_extreme_ = false;

  // For the current batch:
  std::vector<uint32_t> group_;  // of each row
  std::vector<uint32_t> key_codes_;
  std::vector<uint8_t> is_chosen_;
  std::vector<uint32_t> shown_;      // groups with another row for the other columns
  std::vector<uint32_t> shown_row_;  // by group
};

}  // namespace

std::optional<int64_t> LastOfTop(const TopSelect& top, const columns::ColumnFile& columns,
                                 const std::function<bool()>& cancelled) {
  // The worst of the best so far is the first one.
  const auto is_better = [&](int64_t a, int64_t b) { return top.is_descending ? a > b : a < b; };
  std::vector<int64_t> best;
  std::vector<ColumnCondition> conditions;
  for (const Expression& each : top.conditions) {
    const bool is_between = each.kind == Expression::Kind::kAnd;
    for (const Expression& term : is_between ? std::span(each.operands) : std::span(&each, 1)) {
      auto condition = ConditionOf(term, InfoOf(top.table), {});
      if (!condition) return std::nullopt;
      conditions.push_back(std::move(*condition));
    }
  }
  ColumnValues values;
  std::vector<uint32_t> rows;
  for (size_t block = 0; block < columns.table(top.table).blocks(); ++block) {
    if (cancelled && cancelled()) return std::nullopt;
    rows.resize(columns.table(top.table).block_rows[block]);
    std::iota(rows.begin(), rows.end(), 0);
    for (const ColumnCondition& condition : conditions) {
      if (MeetsNone(condition, columns.entry(top.table, block, condition.column))) rows.clear();
      if (rows.empty()) break;
      if (!columns.Read(top.table, block, condition.column, values) ||
          !Choose(condition, values, rows)) {
        return std::nullopt;
      }
    }
    if (rows.empty()) continue;
    if (!columns.Read(top.table, block, top.column, values)) return std::nullopt;
    for (const uint32_t row : rows) {
      const Cell::Kind kind = values.KindOf(row);
      if (kind == Cell::Kind::kNull && top.is_descending) continue;  // these are last
      if (kind != Cell::Kind::kInteger) return std::nullopt;
      const int64_t value = values.values[row];
      if (best.size() == top.rows) {
        if (!is_better(value, best.front())) continue;
        std::pop_heap(best.begin(), best.end(), is_better);
        best.back() = value;
      } else {
        best.push_back(value);
      }
      std::push_heap(best.begin(), best.end(), is_better);
    }
  }
  if (best.size() < top.rows) return std::nullopt;
  return best.front();
}

std::optional<Groups> SumGroups(const GroupQuery& query, const GroupInput& input) {
  return GroupSummer(query, input).Run();
}

}  // namespace query
