// SPDX-License-Identifier: BSD-2-Clause
// Words for the limits of cgroups.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace analyze {

// "its cgroup /thumbnailer.service may use 30 ms of each 100 ms". An empty path and times of 0 are
// not known and left out.
std::string LimitWords(std::string_view cgroup, uint64_t quota_ns, uint64_t period_ns);

}  // namespace analyze
