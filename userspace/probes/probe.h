// SPDX-License-Identifier: BSD-2-Clause
// A probe location in a program: what the kernel needs, and how it is displayed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace probes {

// The type of a USDT argument, as sys/sdt.h encodes it.
struct ArgumentType {
  unsigned bytes = 8;  // 1, 2, 4 or 8
  bool is_signed = false;
  bool is_float = false;  // cannot be read
};

struct Probe {
  enum class Kind : uint8_t { kFunction, kUsdt };

  Kind kind = Kind::kFunction;
  std::string file;  // absolute, symbolic links resolved
  // Displayed: the function's demangled name, or PROVIDER:NAME.
  std::string name;
  // For a function probe.
  uint64_t offset = 0;  // of its first byte in the file
  bool return_value = false;
  bool entry_only = false;  // without a return probe
  // For a USDT probe.
  std::string provider;
  std::string usdt_name;
  std::vector<ArgumentType> arguments;
};

}  // namespace probes
