// SPDX-License-Identifier: BSD-2-Clause
// What recording costs: price_table.h, for programs to look up.
#pragma once

#include <span>
#include <string_view>

namespace schema {

// Of one event. Medians of a run of `make bench-prices` on one machine: figures to compare with
// each other.
struct Price {
  std::string_view name;  // a category ("sched"), a part of one ("stack:off"), or an option ("-z")
  std::string_view of;    // what one event is
  int added_ns;           // that whoever makes the event takes longer; -1: not known
  int bytes;              // in the file; -1: not known
};

// In the order of the list.
std::span<const Price> AllPrices();

// Null where there is none of that name.
const Price* FindPrice(std::string_view name);

}  // namespace schema
