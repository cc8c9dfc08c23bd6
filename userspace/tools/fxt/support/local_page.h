// SPDX-License-Identifier: BSD-2-Clause
// What commands share that show something in a browser.
#pragma once

#include <cstdint>
#include <string>

#include "util/result.h"

namespace tools {

// A part of an address that pages and programs without it cannot guess: 32 hexadecimal digits.
util::Result<std::string> SecretName();

// Prints the address on standard output and, `for_others`, how to reach `port` from another
// machine.
util::Status PrintPage(const std::string& address, uint16_t port, bool for_others);

// Opens the address in the user's browser. Prints a note where there is none.
void ShowPage(const std::string& address);

}  // namespace tools
