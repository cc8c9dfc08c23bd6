// SPDX-License-Identifier: BSD-2-Clause
// An identity source without any tasks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/identity_source.h"

namespace model::testing {

class NoIdentities : public IdentitySource {
 public:
  ProcessText TextOf(uint32_t) override { return {}; }
  std::optional<fxr_task> LookUp(uint32_t) override { return std::nullopt; }
  std::string CgroupPath(uint64_t) override { return ""; }
  std::string IrqName(uint32_t) override { return ""; }
  std::vector<ExecutableMapping> MappingsOf(uint32_t) override { return {}; }
};

}  // namespace model::testing
