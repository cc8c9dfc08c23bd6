// SPDX-License-Identifier: BSD-2-Clause
#include "probes/probe_arguments.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "probes/argument_place.h"
#include "probes/registers.h"

namespace probes {
namespace {

std::vector<const ValueText*> WantedValues(const ProbeText& text) {
  std::vector<const ValueText*> wanted;
  for (const ValueText& value : text.arguments) wanted.push_back(&value);
  for (const ComparisonText& comparison : text.filter) wanted.push_back(&comparison.value);
  return wanted;
}

util::Error CannotRead(const ValueText& value, const std::string& why) {
  return {fmt::format("'{}' cannot be read: {}", value.name, why),
          "arguments in registers can also be asked for by position: arg1, arg2:str"};
}

// The value of the register of results.
Argument RegisterOfResult(const std::string& type) {
  Argument result;
  result.name = "retval";
  result.type = *FindType(type);
  result.operand.source = ResultRegister(HostMachine(), 0).offset;
  result.operand.bits = 64;
  if (result.type.form == ArgumentType::Form::kText) result.MakeText(FXR_PROBE_TEXT_BYTES);
  return result;
}

}  // namespace

std::vector<ValueText> NamedValues(const ProbeText& text) {
  std::vector<ValueText> named;
  for (const ValueText* value : WantedValues(text)) {
    if (!IsPositional(*value)) named.push_back(*value);
  }
  return named;
}

util::Status SetArguments(const ProbeText& text, const FunctionArguments* found,
                          const std::string& why_none, Probe* probe) {
  const std::vector<const ValueText*> wanted = WantedValues(text);
  size_t named = 0;
  for (size_t n = 0; n < wanted.size(); ++n) {
    const ValueText& value = *wanted[n];
    Argument argument;
    if (IsPositional(value)) {
      auto resolved = ResolvePositional(value, HostMachine());
      if (!resolved) return resolved.TakeError();
      argument = std::move(*resolved);
    } else if (!found) {
      return CannotRead(value, why_none);
    } else {
      const ResolvedValue& resolved = found->values[named++];
      if (!resolved.error.empty()) return CannotRead(value, resolved.error);
      argument = resolved.argument;
    }
    if (n < text.arguments.size()) {
      probe->shown.push_back(std::move(argument));
      continue;
    }
    auto comparison = MakeComparison(text.filter[n - text.arguments.size()], argument);
    if (!comparison) return comparison.TakeError();
    probe->filter.push_back(*comparison);
  }
  const std::string_view result_error =
      text.return_value && found ? std::string_view(found->result.error) : "";
  if (result_error == kReturnsNothing || result_error == kInFloatRegister) {
    if (probe->pattern.empty()) {
      return util::Error{fmt::format("what it returns cannot be read: {}", result_error),
                         "leave +retval out"};
    }
    // A pattern takes what each function has.
    probe->return_value = false;
  } else if (text.return_value && found && result_error.empty()) {
    probe->result = found->result.argument;
  } else if (!text.result_type.empty()) {
    const bool wants_text = text.result_type == "str";
    if (wants_text && found && result_error.find("no debug") == std::string::npos) {
      return util::Error{fmt::format("its return value is not a string: {}", result_error), ""};
    }
    probe->result = RegisterOfResult(text.result_type);
  }
  return CheckLimits(*probe);
}

}  // namespace probes
