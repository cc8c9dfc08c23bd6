// SPDX-License-Identifier: BSD-2-Clause
// Declares fmt's format_to as instantiated in format_library.cc: otherwise each file that calls it
// takes seconds longer to compile.
#pragma once

#include <fmt/format.h>

FMT_BEGIN_NAMESPACE
namespace detail {
// Compiled in format_library.cc.
extern template FMT_API void vformat_to(buffer<char>&, string_view,
                                        basic_format_args<FMT_BUFFER_CONTEXT(char)>, locale_ref);
}  // namespace detail
FMT_END_NAMESPACE
