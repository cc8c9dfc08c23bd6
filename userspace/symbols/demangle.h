// SPDX-License-Identifier: BSD-2-Clause
// Demangles function names.
#pragma once

#include <string>
#include <string_view>

namespace symbols {

// Demangles C++ names, Rust's legacy names (of the same form) and Rust's v0 names; returns others
// unchanged.
std::string Demangle(std::string_view name);

}  // namespace symbols
