// SPDX-License-Identifier: BSD-2-Clause
// Looks up the address of a host.
#pragma once

#include <string>

#include "util/result.h"

namespace exporting {

// Returns an IPv4 or IPv6 address as text. getent(1) looks up names, since a static program cannot
// use the system's resolver.
util::Result<std::string> AddressOf(const std::string& host);

}  // namespace exporting
