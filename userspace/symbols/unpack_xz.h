// SPDX-License-Identifier: BSD-2-Clause
// Unpacks data in the xz format.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace symbols {

// Empty if the data is damaged, or larger than `max_bytes` when unpacked. Any user may have made
// it.
std::vector<std::byte> UnpackXz(std::span<const std::byte> packed, size_t max_bytes);

}  // namespace symbols
