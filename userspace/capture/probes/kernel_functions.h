// SPDX-License-Identifier: BSD-2-Clause
// The functions of the running kernel and its modules, as --kprobe names them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace capture {

struct KernelFunction {
  std::string name;
  uint64_t address = 0;  // 0: the kernel hides it
  std::string module;    // empty: the kernel itself
};

class KernelFunctions {
 public:
  static util::Result<KernelFunctions> Read(const std::string& path = "/proc/kallsyms");
  // `kallsyms` has lines as that file.
  explicit KernelFunctions(std::string_view kallsyms);

  // The functions of this name, or all that a pattern with * and ? matches: without the parts that
  // the compiler split off (names with a dot), unless the pattern has a dot. Errors: there is none,
  // and why; more than FXR_MAX_PROBES.
  util::Result<std::vector<KernelFunction>> Find(const std::string& symbol) const;

 private:
  util::Error NoSuch(const std::string& symbol) const;

  std::vector<KernelFunction> functions_;
};

}  // namespace capture
