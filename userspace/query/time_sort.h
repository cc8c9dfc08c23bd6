// SPDX-License-Identifier: BSD-2-Clause
// Sorts many whole numbers, such as times.
#pragma once

#include <cstdint>
#include <span>

namespace query {

// Sorts in ascending order, in place: by digits from the highest down until a part fits the cache,
// and there from the lowest up.
void SortTimes(std::span<int64_t> values);

}  // namespace query
