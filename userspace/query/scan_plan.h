// SPDX-License-Identifier: BSD-2-Clause
// The request of a scan, as agreed with SQLite's planner, which keeps it as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/rows/row_filter.h"

namespace query {

// A condition whose other side is known at the begin of the scan. kEqual is a condition on any
// column, which finds kept rows (kept_rows.h).
enum class Condition : uint8_t { kAfter, kFrom, kBefore, kUpTo, kAt, kCpu, kTid, kEqual };

struct ScanPlan {
  uint64_t columns = 0;               // bit i: column i is read
  std::vector<Condition> conditions;  // in the order of their values
  std::vector<uint8_t> grouped_by;    // columns; empty: rows are in any order
  // Bit i: the value of condition i, a column of another table, may differ in each scan of a
  // statement.
  uint64_t varying = 0;
  // The column whose values select rows if there are several scans.
  std::optional<uint8_t> key = std::nullopt;
  // The condition that the key must equal; empty: the times from and to.
  std::optional<uint8_t> key_condition = std::nullopt;
  // The column of each condition, and its operator as SQLITE_INDEX_CONSTRAINT_*; kListed if the
  // value is a list.
  std::vector<uint8_t> operands = {};
  std::vector<uint8_t> operations = {};
  // Bit i: window i of the statement is read.
  uint64_t windows = 0;
  static constexpr uint8_t kListed = 255;

  std::string Encode() const;
  static ScanPlan Decode(std::string_view text);
};

// Narrows `filter`. It keeps all rows that meet the condition, and possibly others.
void Narrow(tables::RowFilter& filter, Condition condition, int64_t value);
void Narrow(tables::RowFilter& filter, Condition condition, double value);

}  // namespace query
