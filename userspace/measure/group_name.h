// SPDX-License-Identifier: BSD-2-Clause
// The names under which threads are put together.
#pragma once

#include <string>
#include <string_view>

namespace measure {

// Groups, calls, handlers and requests beyond the limits are counted together under this name.
inline constexpr std::string_view kOthers = "(other)";

// `name` with each run of digits folded to one '#': "kworker/3:1" becomes "kworker/#:#". Bytes are
// kept as they are, no more than kMaxFoldedBytes of them.
inline constexpr size_t kMaxFoldedBytes = 256;
std::string FoldDigits(std::string_view name);

}  // namespace measure
