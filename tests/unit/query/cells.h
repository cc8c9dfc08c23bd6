// SPDX-License-Identifier: BSD-2-Clause
// Makes cells of rows.
#pragma once

#include <cstdint>
#include <string_view>

#include "tables/rows/cell.h"

namespace query::testing {

inline tables::Cell Number(int64_t value) {
  tables::Cell cell;
  cell.Set(value);
  return cell;
}
// The text stays where it is.
inline tables::Cell Text(std::string_view text) {
  tables::Cell cell;
  cell.Set(text);
  return cell;
}

}  // namespace query::testing
