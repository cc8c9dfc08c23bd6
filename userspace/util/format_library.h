// SPDX-License-Identifier: BSD-2-Clause
// The formatting library for those that call format_to: without the promise below each of them
// would compile the whole of it, seconds for every file.
#pragma once

#include <fmt/format.h>

FMT_BEGIN_NAMESPACE
namespace detail {
// Compiled in format_library.cc.
extern template FMT_API void vformat_to(buffer<char>&, string_view,
                                        basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
