// SPDX-License-Identifier: BSD-2-Clause
// Drops the capabilities that the service does not need.
#pragma once

#include <cstdint>
#include <vector>

#include "util/result.h"

namespace tools {

struct KeptCapability {
  uint32_t number;     // CAP_... of linux/capability.h
  const char* name;    // without CAP_, in lower case
  const char* reason;  // for people
};

// Capabilities that `fxt-record serve` needs after its start.
std::vector<KeptCapability> ServiceCapabilities();

// Removes all other capabilities from this thread and from the bounding set, and sets no_new_privs.
// Before any other thread starts: threads and processes that start later inherit the result. A
// process without privileges stays as it is.
util::Status KeepOnly(const std::vector<KeptCapability>& kept);

}  // namespace tools
