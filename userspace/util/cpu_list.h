// SPDX-License-Identifier: BSD-2-Clause
// Parses lists of CPUs as sysfs writes them: "0-3,8".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace util {

// In ascending order, without duplicates. Empty if the text is not such a list. Numbers are below
// 2^16.
std::optional<std::vector<uint32_t>> ParseCpuList(std::string_view text);

// The CPUs of /sys/devices/system/cpu/<which> ("online", "present", "possible") under `sysfs`; CPU
// 0 alone if the file cannot be read.
std::vector<uint32_t> ReadCpuList(std::string_view which, const std::string& sysfs = "/sys");

}  // namespace util
