// SPDX-License-Identifier: BSD-2-Clause
// Opens the browser of the logged-in user.
#pragma once

#include <string>

#include "util/result.h"

namespace tools {

// True if this process has a display.
bool HasDesktop();

// Starts xdg-open without waiting for it. Under sudo it runs as the user who called sudo; root has
// no browser. Fails for root alone, or without xdg-open.
util::Status OpenInBrowser(const std::string& url);

}  // namespace tools
