// SPDX-License-Identifier: BSD-2-Clause
// A place in a program that is to be watched, as the kernel is told of it and as it is shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace probes {

// Of an argument of a USDT probe, as sys/sdt.h wrote it into the program.
struct ArgumentType {
  unsigned bytes = 8;  // 1, 2, 4 or 8
  bool is_signed = false;
  bool is_float = false;  // which cannot be read
};

struct Probe {
  enum class Kind : uint8_t { kFunction, kUsdt };

  Kind kind = Kind::kFunction;
  std::string file;  // absolute, links followed
  // What people see: the function's demangled name, or PROVIDER:NAME.
  std::string name;
  // Of a function.
  uint64_t offset = 0;  // of its first byte in the file
  bool return_value = false;
  bool entry_only = false;  // its return is not watched
  // Of a USDT probe.
  std::string provider;
  std::string usdt_name;
  std::vector<ArgumentType> arguments;
};

}  // namespace probes
