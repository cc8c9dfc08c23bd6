// SPDX-License-Identifier: BSD-2-Clause
// Parses what follows the file in --uprobe, --usdt and --kprobe: SYMBOL(ARGUMENTS)+retval if
// FILTER.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt_record/event.h"
#include "probes/probe.h"
#include "probes/registers.h"
#include "util/result.h"

namespace probes {

// A value: `len`, `buf:str`, `request->header.size`, `names[2]`, `arg1:s32`, `%di`.
struct ValueText {
  struct Step {
    std::string member;  // empty: an index
    int64_t index = 0;
  };
  std::string name;  // as written, without the type
  std::string base;
  std::vector<Step> path;
  std::string type;  // behind the colon; empty: none
};

struct ComparisonText {
  ValueText value;
  fxr_probe_test test = FXR_PROBE_EQUAL;
  uint64_t constant = 0;  // two's complement
  bool ends_and = false;
};

struct ProbeText {
  std::string symbol;     // without the arguments
  std::string with_list;  // with them: the last parentheses may be a parameter list of C++; empty
                          // if there are none
  std::vector<ValueText> arguments;
  // The parentheses are not those of arguments. Ignored if `with_list` is the name of a function.
  std::optional<util::Error> arguments_error;
  bool return_value = false;
  std::string result_type;  // +retval:TYPE; empty: none
  bool entry_only = false;
  std::vector<ComparisonText> filter;
};

util::Result<ProbeText> ParseProbe(std::string_view text);

// Types by name: str, ptr, bool, char, s8 to s64, u8 to u64.
std::optional<ArgumentType> FindType(std::string_view name);

// True if no type information is needed: argN, a register.
bool IsPositional(const ValueText& value);
// The value of a positional text. Errors: no such register, a member, an unknown type.
util::Result<Argument> ResolvePositional(const ValueText& value, Machine machine);

// The comparison of an argument. Errors: it is a text or a floating-point number.
util::Result<fxr_probe_comparison> MakeComparison(const ComparisonText& text,
                                                  const Argument& argument);

// Checks the limits of fxr_probe_spec.
util::Status CheckLimits(const Probe& probe);

}  // namespace probes
