// SPDX-License-Identifier: BSD-2-Clause
// The instants of a recording from `fxt dump`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "util/result.h"

namespace truth {

struct Instant {
  uint64_t time_ns = 0;
  std::string category, name;
  uint32_t tid = 0;
  std::string thread_name;
  std::map<std::string, std::string> arguments;  // numbers as decimals, koids as their tid
};

util::Result<std::vector<Instant>> ReadInstants(const std::string& path);

}  // namespace truth
