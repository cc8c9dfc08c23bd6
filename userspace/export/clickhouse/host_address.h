// SPDX-License-Identifier: BSD-2-Clause
// The address of a host by its name.
#pragma once

#include <string>

#include "util/result.h"

namespace exporting {

// An IPv4 or IPv6 address as text. Names are looked up by getent(1), the system's own resolver as a
// program: a static one cannot have it inside.
util::Result<std::string> AddressOf(const std::string& host);

}  // namespace exporting
