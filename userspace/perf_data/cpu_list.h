// SPDX-License-Identifier: BSD-2-Clause
// Lists of CPUs as sysfs writes them: "0-3,8".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace perf_data {

// In rising order. Error: another form, or a number that no machine has.
util::Result<std::vector<unsigned>> ParseCpuList(std::string_view text);

// From a file of sysfs. Error: also if it cannot be read.
util::Result<std::vector<unsigned>> ReadCpuList(const std::string& path);

}  // namespace perf_data
