// SPDX-License-Identifier: BSD-2-Clause
// Names of functions as their authors wrote them.
#pragma once

#include <string>
#include <string_view>

namespace symbols {

// C++ names (and Rust's older ones, which have the same form) and Rust's newer ones ("v0")
// demangled, others as they are.
std::string Demangle(std::string_view name);

}  // namespace symbols
