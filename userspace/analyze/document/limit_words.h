// SPDX-License-Identifier: BSD-2-Clause
// Words for the limits of cgroups.
#pragma once

#include <string>

#include "facts/timeline/fact.h"

namespace analyze {

// "its cgroup /thumbnailer.service may use 30 ms of each 100 ms". Path and figures are left out where
// they are not known.
std::string LimitWords(const facts::CpuLimit& limit);

}  // namespace analyze
