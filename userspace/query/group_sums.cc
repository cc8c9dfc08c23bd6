// SPDX-License-Identifier: BSD-2-Clause
#include "query/group_sums.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "measure/histogram.h"
#include "query/concurrency.h"
#include "query/sqlite_api.h"

namespace query {
namespace {

using columns::BlockEntry;
using columns::ColumnValues;
using columns::Encoding;
using columns::kBlockRows;
using tables::Cell;
using tables::Type;

constexpr uint32_t kMaxGroups = 1 << 17;
// A histogram takes some KiB.
constexpr uint32_t kMaxHistograms = 1 << 14;
// Ranges of whole numbers that a table is made for.
constexpr uint64_t kMaxRange = 1 << 16;
constexpr uint32_t kNone = UINT32_MAX;

// Small numbers for whole numbers, from 0 on.
class NumberCodes {
 public:
  // kNone: there are too many.
  uint32_t CodeOf(int64_t number) {
    if (2 * (numbers_.size() + 1) > slots_.size()) Grow();
    uint32_t& slot = Find(number);
    if (slot == 0) {
      if (numbers_.size() == kMaxGroups) return kNone;
      numbers_.push_back(number);
      slot = static_cast<uint32_t>(numbers_.size());
    }
    return slot - 1;
  }
  int64_t number(uint32_t code) const { return numbers_[code]; }

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

  std::vector<int64_t> numbers_;
  std::vector<uint32_t> slots_;  // code + 1; 0: free
};

// What a key is, with NULL as its code 0.
struct KeyCodes {
  const GroupKey* key = nullptr;
  bool is_text = false;
  NumberCodes numbers;
  std::unordered_map<std::string_view, uint32_t> codes;
  std::vector<std::string_view> texts;
  std::vector<uint32_t> of_block;  // codes of the texts, or of the range, of a block
};

// What a value has come to, by group.
struct Sums {
  std::vector<uint64_t> counts;
  std::vector<int64_t> numbers;
  std::vector<double> means;
  std::vector<measure::Histogram> histograms;
  std::vector<Concurrency> concurrencies;
};

// SQLite sums up for avg() in floating point, and in whole numbers from 3.43 on.
bool MeansAreOfDoubles() { return sqlite3_libversion_number() < 3043000; }

class GroupSummer {
 public:
  GroupSummer(const GroupQuery& query, const columns::ColumnFile& columns)
      : query_(query), columns_(columns), sums_(query.values.size()) {
    for (const GroupKey& key : query.keys) {
      KeyCodes& codes = keys_.emplace_back();
      codes.key = &key;
      codes.is_text = InfoOf(query.table).columns[key.column].type == Type::kText;
    }
    pairs_.resize(query.keys.size());
  }

  std::optional<Groups> Run(const std::function<bool()>& cancelled) {
    if (!FindEdges()) return std::nullopt;
    if (query_.keys.empty()) Resize(1);
    for (size_t block = 0; block < columns_.table(query_.table).blocks(); ++block) {
      if (cancelled && cancelled()) return std::nullopt;
      if (!AddBlock(block)) return std::nullopt;
    }
    return Finish();
  }

 private:
  // The begin and the end of the trace, if a key is made of them.
  bool FindEdges() {
    for (const GroupKey& key : query_.keys) {
      for (const KeyStep& step : key.steps) {
        const bool is_begin = step.kind == KeyStep::Kind::kBegin;
        if (!is_begin && step.kind != KeyStep::Kind::kEnd) continue;
        ColumnValues values;
        const uint8_t column = is_begin ? tables::captures::kBeginTs : tables::captures::kEndTs;
        if (columns_.table(tables::Table::kCaptures).rows != 1 ||
            !columns_.Read(tables::Table::kCaptures, 0, column, values) ||
            values.KindOf(0) != Cell::Kind::kInteger) {
          return false;
        }
        (is_begin ? begin_ : end_) = values.values[0];
      }
    }
    return true;
  }

  const ColumnValues* Load(uint8_t column) {
    if (is_loaded_[column]) return &values_[column];
    if (!columns_.Read(query_.table, block_, column, values_[column])) return nullptr;
    is_loaded_[column] = true;
    return &values_[column];
  }

  bool AddBlock(size_t block) {
    block_ = block;
    is_loaded_.fill(false);
    const size_t rows = columns_.table(query_.table).block_rows[block];
    chosen_.resize(rows);
    std::iota(chosen_.begin(), chosen_.end(), 0);
    for (const ColumnCondition& condition : query_.conditions) {
      if (MeetsNone(condition, columns_.entry(query_.table, block, condition.column))) return true;
      const ColumnValues* values = Load(condition.column);
      if (values == nullptr || !Choose(condition, *values, chosen_)) return false;
      if (chosen_.empty()) return true;
    }
    group_.resize(chosen_.size());
    if (keys_.empty()) {
      std::fill(group_.begin(), group_.end(), 0);
    } else {
      for (size_t key = 0; key < keys_.size(); ++key) {
        if (!AddKey(key)) return false;
      }
    }
    for (const uint32_t group : group_) ++rows_[group];
    for (size_t value = 0; value < sums_.size(); ++value) {
      if (!AddValue(query_.values[value], sums_[value])) return false;
    }
    return true;
  }

  // Of a key that is an expression. 0: NULL; false: a number beyond 64 bits.
  bool Evaluate(const GroupKey& key, int64_t column, int64_t& result, bool& is_null) const {
    std::array<int64_t, 16> stack;
    size_t size = 0;
    is_null = false;
    for (const KeyStep& step : key.steps) {
      switch (step.kind) {
        case KeyStep::Kind::kNumber:
          stack[size++] = step.number;
          continue;
        case KeyStep::Kind::kColumn:
          stack[size++] = column;
          continue;
        case KeyStep::Kind::kBegin:
          stack[size++] = begin_;
          continue;
        case KeyStep::Kind::kEnd:
          stack[size++] = end_;
          continue;
        default:
          break;
      }
      const int64_t right = stack[--size];
      int64_t& left = stack[size - 1];
      switch (step.kind) {
        case KeyStep::Kind::kAdd:
          if (__builtin_add_overflow(left, right, &left)) return false;
          break;
        case KeyStep::Kind::kSubtract:
          if (__builtin_sub_overflow(left, right, &left)) return false;
          break;
        case KeyStep::Kind::kMultiply:
          if (__builtin_mul_overflow(left, right, &left)) return false;
          break;
        default:
          if (right == 0) {
            is_null = true;
            return true;
          }
          if (right == -1) return false;
          left = step.kind == KeyStep::Kind::kDivide ? left / right : left % right;
      }
    }
    result = stack[0];
    return true;
  }

  // Sets group_ to the codes of a key, together with those of the keys before.
  bool AddKey(size_t number) {
    KeyCodes& key = keys_[number];
    const ColumnValues* values = Load(key.key->column);
    if (values == nullptr) return false;
    const BlockEntry& entry = columns_.entry(query_.table, block_, key.key->column);
    const bool is_range = !key.is_text && key.key->steps.empty() &&
                          entry.encoding == Encoding::kValues &&
                          static_cast<uint64_t>(entry.high) - static_cast<uint64_t>(entry.low) < kMaxRange;
    key.of_block.clear();
    if (key.is_text) {
      for (const std::string_view text : values->texts) {
        key.of_block.push_back(TextCode(key, text));
        if (key.of_block.back() == kNone) return false;
      }
    } else if (is_range) {
      key.of_block.assign(static_cast<uint64_t>(entry.high) - static_cast<uint64_t>(entry.low) + 1, 0);
    }
    int64_t last_number = 0;
    uint32_t last_code = kNone;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const uint32_t row = chosen_[i];
      const Cell::Kind kind = values->KindOf(row);
      uint32_t code = 0;
      if (kind == Cell::Kind::kNull) {
        code = 0;
      } else if (kind != (key.is_text ? Cell::Kind::kText : Cell::Kind::kInteger)) {
        return false;
      } else if (key.is_text) {
        code = key.of_block[static_cast<size_t>(values->values[row])];
      } else if (is_range) {
        uint32_t& known = key.of_block[static_cast<uint64_t>(values->values[row]) -
                                       static_cast<uint64_t>(entry.low)];
        if (known == 0) {
          known = key.numbers.CodeOf(values->values[row]) + 1;
          if (known == 0) return false;
        }
        code = known;
      } else {
        int64_t value = values->values[row];
        bool is_null = false;
        if (!key.key->steps.empty() && !Evaluate(*key.key, value, value, is_null)) return false;
        if (is_null) {
          code = 0;
        } else {
          if (last_code == kNone || value != last_number) {
            last_number = value;
            last_code = key.numbers.CodeOf(value);
            if (last_code == kNone) return false;
          }
          code = last_code + 1;
        }
      }
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

  uint32_t TextCode(KeyCodes& key, std::string_view text) {
    const auto found = key.codes.find(text);
    if (found != key.codes.end()) return found->second;
    if (key.texts.size() == kMaxGroups) return kNone;
    const std::string& kept = groups_.texts.emplace_back(text);
    key.texts.emplace_back(kept);
    key.codes.emplace(kept, static_cast<uint32_t>(key.texts.size()));
    return static_cast<uint32_t>(key.texts.size());
  }

  void Resize(size_t groups) {
    if (rows_.size() >= groups) return;
    rows_.resize(groups);
    for (size_t i = 0; i < sums_.size(); ++i) {
      const GroupValue::Kind kind = query_.values[i].kind;
      if (kind == GroupValue::Kind::kCount) continue;
      sums_[i].counts.resize(groups);
      if (kind == GroupValue::Kind::kConcurrency) {
        sums_[i].concurrencies.resize(groups);
      } else if (kind == GroupValue::Kind::kQuantile) {
        sums_[i].histograms.resize(groups);
      } else if (kind == GroupValue::Kind::kMean) {
        sums_[i].means.resize(groups);
        sums_[i].numbers.resize(groups);
      } else if (kind != GroupValue::Kind::kCountOf) {
        sums_[i].numbers.resize(groups);
      }
    }
  }

  template <typename Each>
  bool ForEachNumber(const ColumnValues& values, Each&& each) {
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const Cell::Kind kind = values.KindOf(chosen_[i]);
      if (kind == Cell::Kind::kNull) continue;
      if (kind != Cell::Kind::kInteger) return false;
      if (!each(group_[i], values.values[chosen_[i]])) return false;
    }
    return true;
  }

  bool AddValue(const GroupValue& value, Sums& sums) {
    if (value.kind == GroupValue::Kind::kCount) return true;
    const ColumnValues* values = Load(value.column);
    if (values == nullptr) return false;
    switch (value.kind) {
      case GroupValue::Kind::kCountOf:
        for (size_t i = 0; i < chosen_.size(); ++i) {
          if (values->KindOf(chosen_[i]) != Cell::Kind::kNull) ++sums.counts[group_[i]];
        }
        return true;
      case GroupValue::Kind::kSum:
        return ForEachNumber(*values, [&](uint32_t group, int64_t number) {
          ++sums.counts[group];
          return !__builtin_add_overflow(sums.numbers[group], number, &sums.numbers[group]);
        });
      case GroupValue::Kind::kMean:
        return ForEachNumber(*values, [&](uint32_t group, int64_t number) {
          ++sums.counts[group];
          sums.means[group] += static_cast<double>(number);
          return !__builtin_add_overflow(sums.numbers[group], number, &sums.numbers[group]);
        });
      case GroupValue::Kind::kMin:
        return ForEachNumber(*values, [&](uint32_t group, int64_t number) {
          int64_t& least = sums.numbers[group];
          least = sums.counts[group]++ == 0 ? number : std::min(least, number);
          return true;
        });
      case GroupValue::Kind::kMax:
        return ForEachNumber(*values, [&](uint32_t group, int64_t number) {
          int64_t& most = sums.numbers[group];
          most = sums.counts[group]++ == 0 ? number : std::max(most, number);
          return true;
        });
      case GroupValue::Kind::kConcurrency:
        return AddIntervals(value, sums);
      default:
        if (sums.histograms.size() > kMaxHistograms) return false;
        return ForEachNumber(*values, [&](uint32_t group, int64_t number) {
          if (number < 0) return false;
          ++sums.counts[group];
          sums.histograms[group].Add(static_cast<uint64_t>(number));
          return true;
        });
    }
  }

  bool AddIntervals(const GroupValue& value, Sums& sums) {
    const ColumnValues* begins = Load(value.column);
    const ColumnValues* lengths = Load(value.lengths);
    if (begins == nullptr || lengths == nullptr) return false;
    for (size_t i = 0; i < chosen_.size(); ++i) {
      const uint32_t row = chosen_[i];
      const Cell::Kind begin = begins->KindOf(row);
      const Cell::Kind length = lengths->KindOf(row);
      if (begin == Cell::Kind::kNull || length == Cell::Kind::kNull) continue;
      if (begin != Cell::Kind::kInteger || length != Cell::Kind::kInteger) return false;
      if (lengths->values[row] < 0 || ++intervals_ > Concurrency::kMaxIntervals) return false;
      ++sums.counts[group_[i]];
      if (!sums.concurrencies[group_[i]].Add(begins->values[row], lengths->values[row])) return false;
    }
    return true;
  }

  Cell ValueOf(size_t number, uint32_t group) {
    const GroupValue& value = query_.values[number];
    Sums& sums = sums_[number];
    Cell cell;
    if (value.kind == GroupValue::Kind::kCount) {
      cell.Set(rows_[group]);
    } else if (value.kind == GroupValue::Kind::kCountOf) {
      cell.Set(sums.counts[group]);
    } else if (sums.counts[group] == 0) {
      cell.SetNull();
    } else if (value.kind == GroupValue::Kind::kMean) {
      const double sum = MeansAreOfDoubles() ? sums.means[group] : static_cast<double>(sums.numbers[group]);
      cell.Set(sum / static_cast<double>(sums.counts[group]));
    } else if (value.kind == GroupValue::Kind::kConcurrency) {
      cell.Set(std::string_view(groups_.texts.emplace_back(sums.concurrencies[group].TakeJson())));
    } else if (value.kind == GroupValue::Kind::kQuantile) {
      cell.Set(sums.histograms[group].Quantile(value.q));
    } else {
      cell.Set(sums.numbers[group]);
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
        if (own == 0) continue;
        if (keys_[key].is_text) {
          cells[key].Set(keys_[key].texts[own - 1]);
        } else {
          cells[key].Set(keys_[key].numbers.number(own - 1));
        }
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
  const columns::ColumnFile& columns_;
  int64_t begin_ = 0;
  int64_t end_ = 0;
  std::vector<KeyCodes> keys_;
  std::vector<NumberCodes> pairs_;  // of the code of the keys before, and that of a key
  std::vector<Sums> sums_;
  std::vector<uint64_t> rows_;  // by group
  uint32_t most_ = 0;
  size_t intervals_ = 0;
  Groups groups_;

  // Of a block.
  size_t block_ = 0;
  std::array<ColumnValues, tables::kMaxColumns> values_;
  std::array<bool, tables::kMaxColumns> is_loaded_{};
  std::vector<uint32_t> chosen_;  // rows
  std::vector<uint32_t> group_;   // of each of these
};

}  // namespace

uint64_t ColumnsOf(const GroupQuery& query) {
  uint64_t columns = 0;
  for (const GroupKey& key : query.keys) columns |= uint64_t{1} << key.column;
  for (const GroupValue& value : query.values) {
    if (value.kind != GroupValue::Kind::kCount) columns |= uint64_t{1} << value.column;
    if (value.kind == GroupValue::Kind::kConcurrency) columns |= uint64_t{1} << value.lengths;
  }
  for (const ColumnCondition& condition : query.conditions) {
    columns |= uint64_t{1} << condition.column;
  }
  return columns;
}

std::optional<int64_t> LastOfTop(const TopSelect& top, const columns::ColumnFile& columns,
                                 const std::function<bool()>& cancelled) {
  // The worst of the best so far is the first one.
  const auto is_better = [&](int64_t a, int64_t b) { return top.is_descending ? a > b : a < b; };
  std::vector<int64_t> best;
  ColumnValues values;
  std::vector<uint32_t> rows;
  for (size_t block = 0; block < columns.table(top.table).blocks(); ++block) {
    if (cancelled && cancelled()) return std::nullopt;
    rows.resize(columns.table(top.table).block_rows[block]);
    std::iota(rows.begin(), rows.end(), 0);
    for (const ColumnCondition& condition : top.conditions) {
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

std::optional<Groups> SumGroups(const GroupQuery& query, const columns::ColumnFile& columns,
                                const std::function<bool()>& cancelled) {
  return GroupSummer(query, columns).Run(cancelled);
}

}  // namespace query
