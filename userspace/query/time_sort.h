// SPDX-License-Identifier: BSD-2-Clause
// Sorts many whole numbers, such as times.
#pragma once

#include <cstdint>
#include <span>

namespace query {

// Ascending, in place: by digits from the highest on until a part fits into the cache, and there from the lowest on.
void SortTimes(std::span<int64_t> values);

}  // namespace query
