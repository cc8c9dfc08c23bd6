// SPDX-License-Identifier: BSD-2-Clause
// A probe location in a program: what the kernel needs, and how it is displayed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fxt_record/event.h"

namespace probes {

// The type of a value: of a USDT argument, as sys/sdt.h encodes it, or of an argument that was
// asked for.
struct ArgumentType {
  enum class Form : uint8_t { kNumber, kPointer, kBool, kText };

  unsigned bytes = 8;  // 1, 2, 4 or 8
  bool is_signed = false;
  bool is_float = false;  // a USDT argument of this type cannot be read
  Form form = Form::kNumber;
};

// A value that was asked for, and how BPF reads it.
struct Argument {
  std::string name;
  ArgumentType type;
  fxr_probe_operand operand{};
  std::optional<fxr_probe_operand> length;  // of a text that has one

  // Makes it the zero-terminated text at the address that `operand` reads, of at most `bytes` bytes
  // with the zero.
  void MakeText(uint64_t bytes);
};

struct Probe {
  enum class Kind : uint8_t { kFunction, kUsdt, kKernel };

  Kind kind = Kind::kFunction;
  std::string file;  // absolute, symbolic links resolved; empty for a function of the kernel
  // Displayed: the function's demangled name, or PROVIDER:NAME.
  std::string name;
  // For a function probe.
  uint64_t offset = 0;  // of its first byte in the file
  bool return_value = false;
  bool entry_only = false;  // without a return probe
  // The option by whose pattern it was found; empty: it was named itself.
  std::string pattern;
  // For a function of the kernel; 0: the kernel hides its address.
  uint64_t address = 0;
  // For a USDT probe.
  std::string provider;
  std::string usdt_name;
  std::vector<ArgumentType> arguments;
  // Values that were asked for; for a USDT probe instead of all of its arguments.
  std::vector<Argument> shown;
  std::vector<fxr_probe_comparison> filter;
  // The returned value, if its type is known; otherwise it is a signed number of 64 bits.
  std::optional<Argument> result;

  // True if BPF needs MakeSpec() of it.
  bool has_spec() const {
    return !shown.empty() || !filter.empty() ||
           (result && result->type.form == ArgumentType::Form::kText);
  }
};

// The part of a probe that BPF programs read; its values stand in the order of `shown`, each length
// behind its text. The limits of fxr_probe_spec hold already.
fxr_probe_spec MakeSpec(const Probe& probe);

}  // namespace probes
