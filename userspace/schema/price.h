// SPDX-License-Identifier: BSD-2-Clause
// The cost of recording, from price_table.h.
#pragma once

#include <span>
#include <string_view>

namespace schema {

// The cost of one event. Medians of one run of `make bench-prices` on one machine, for comparison
// with each other.
struct Price {
  std::string_view name;  // a category ("sched"), a part of one ("stack:off"), or an option ("-z")
  std::string_view of;    // what one event is
  int added_ns;           // added to the code that causes the event; -1: not known
  int bytes;              // in the file; -1: not known
};

// In the order of the list.
std::span<const Price> AllPrices();

// Null if there is none of that name.
const Price* FindPrice(std::string_view name);

}  // namespace schema
