// SPDX-License-Identifier: BSD-2-Clause
// The varlink descriptions of the interfaces.
#pragma once

#include <string_view>

namespace control {

inline constexpr std::string_view kServiceInterface = "org.varlink.service";
inline constexpr std::string_view kControllerInterface = "fuchsia.tracing.controller";

// The text of the .varlink file of this interface; empty for an unknown interface.
std::string_view DescribeInterface(std::string_view interface);

}  // namespace control
