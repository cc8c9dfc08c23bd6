// SPDX-License-Identifier: BSD-2-Clause
// The id of the distributed trace that a request belongs to.
#pragma once

#include <string>
#include <string_view>

namespace path {

// OpenTelemetry's name of the argument.
inline constexpr std::string_view kTraceIdArgument = "trace_id";

// Returns the `trace_id` of arguments in JSON without braces (Request::members). Empty if there is
// no such string.
std::string TraceIdOf(std::string_view members);

}  // namespace path
