// SPDX-License-Identifier: BSD-2-Clause
// The browser of whoever sits before this machine.
#pragma once

#include <string>

#include "util/result.h"

namespace tools {

// Whether this process knows of a display.
bool HasDesktop();

// Starts xdg-open, and does not wait for it. Root's browser is nobody's: with sudo it is that of
// the user who called it. Errors: there is nobody but root, or no xdg-open.
util::Status OpenInBrowser(const std::string& url);

}  // namespace tools
