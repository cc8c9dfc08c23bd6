// SPDX-License-Identifier: BSD-2-Clause
// What a varlink client is told of this service.
#pragma once

#include <string_view>

namespace control {

inline constexpr std::string_view kServiceInterface = "org.varlink.service";
inline constexpr std::string_view kControllerInterface = "fuchsia.tracing.controller";

// The description of an interface in varlink's own language, as the .varlink file of its name has
// it; empty for one that is not known.
std::string_view DescribeInterface(std::string_view interface);

}  // namespace control
