// SPDX-License-Identifier: BSD-2-Clause
// Runs another program and returns its output.
#pragma once

#include <string>
#include <vector>

namespace util {

// The standard output of the program of that name in /usr/bin or /bin (never from $PATH). Empty if
// it fails or does not exist.
std::string OutputOf(std::vector<std::string> words);

}  // namespace util
