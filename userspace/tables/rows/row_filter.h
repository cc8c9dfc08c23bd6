// SPDX-License-Identifier: BSD-2-Clause
// Selects rows by values that are known before the rows are made.
#pragma once

#include <cstdint>
#include <optional>

namespace tables {

// Selects rows by columns of the table; absent conditions select all rows.
struct RowFilter {
  // `ts` from the first to the second, both included, ns.
  int64_t from = INT64_MIN;
  int64_t to = INT64_MAX;
  std::optional<int64_t> cpu;
  std::optional<int64_t> tid;

  bool operator==(const RowFilter&) const = default;
  bool HasTime(uint64_t time) const {
    const auto ts = static_cast<int64_t>(time > INT64_MAX ? INT64_MAX : time);
    return ts >= from && ts <= to;
  }
  bool HasCpu(uint32_t number) const { return !cpu || *cpu == int64_t{number}; }
  bool HasCpu(const std::optional<uint32_t>& number) const {
    return !cpu || (number && *cpu == int64_t{*number});
  }
  bool HasTid(const std::optional<uint64_t>& id) const {
    return !tid || (id && *tid == static_cast<int64_t>(*id));
  }
};

}  // namespace tables
