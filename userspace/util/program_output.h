// SPDX-License-Identifier: BSD-2-Clause
// What another program of the system says.
#pragma once

#include <string>
#include <vector>

namespace util {

// What the program of that name in a system folder (/usr/bin, /bin; never one of $PATH) prints on
// standard output. Empty if it fails, or is not there.
std::string OutputOf(std::vector<std::string> words);

}  // namespace util
