// SPDX-License-Identifier: BSD-2-Clause
#include "probes/probe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace probes {
namespace {

constexpr std::string_view kWantsValue = "+retval";
constexpr std::string_view kEntryOnly = "+entry";
constexpr std::string_view kIf = " if ";
constexpr size_t kMaxPath = 16;
constexpr const char* kExample =
    "write it like --uprobe 'server:handle(request->size, path:str)+retval if request->size > "
    "4096'";

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

void SkipSpace(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

std::string_view Trimmed(std::string_view text) {
  SkipSpace(text);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view TakeWord(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && IsWord(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Decimal or hexadecimal, with an optional sign.
std::optional<uint64_t> TakeNumber(std::string_view& text) {
  const bool is_negative = TakePrefix(text, "-");
  const int base = TakePrefix(text, "0x") ? 16 : 10;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!text.empty() && IsWord(text.front())) return std::nullopt;
  return is_negative ? 0 - value : value;
}

// Takes a value from the front of `text`.
util::Result<ValueText> TakeValue(std::string_view& text) {
  const std::string_view whole = text;
  const auto wrong = [&] {
    return util::Error{fmt::format("'{}' is not an argument", Trimmed(whole)), kExample};
  };
  ValueText value;
  if (TakePrefix(text, "%")) value.base = "%";
  value.base += TakeWord(text);
  if (value.base.empty() || value.base == "%") return wrong();
  while (!text.empty()) {
    ValueText::Step step;
    if (TakePrefix(text, "->") || TakePrefix(text, ".")) {
      step.member = TakeWord(text);
      if (step.member.empty()) return wrong();
    } else if (TakePrefix(text, "[")) {
      const auto index = TakeNumber(text);
      if (!index || !TakePrefix(text, "]")) return wrong();
      step.index = static_cast<int64_t>(*index);
    } else {
      break;
    }
    if (value.path.size() == kMaxPath) return wrong();
    value.path.push_back(std::move(step));
  }
  value.name = whole.substr(0, whole.size() - text.size());
  if (TakePrefix(text, ":")) {
    value.type = TakeWord(text);
    if (!FindType(value.type)) {
      return util::Error{fmt::format("'{}' is not a type", value.type),
                         "the types are str, ptr, bool, char, s8 to s64 and u8 to u64"};
    }
  }
  return value;
}

util::Result<std::vector<ValueText>> ParseArguments(std::string_view text) {
  std::vector<ValueText> arguments;
  text = Trimmed(text);
  while (!text.empty()) {
    auto value = TakeValue(text);
    if (!value) return value.TakeError();
    arguments.push_back(std::move(*value));
    SkipSpace(text);
    if (text.empty()) break;
    if (!TakePrefix(text, ","))
      return util::Error{fmt::format("'{}' does not follow an argument", text), kExample};
    SkipSpace(text);
    if (text.empty()) return util::Error{"an argument is missing behind the comma", kExample};
  }
  return arguments;
}

std::optional<fxr_probe_test> TakeTest(std::string_view& text) {
  struct Sign {
    std::string_view text;
    fxr_probe_test test;
  };
  constexpr std::array<Sign, 8> kSigns = {{{"==", FXR_PROBE_EQUAL},
                                           {"!=", FXR_PROBE_DIFFERENT},
                                           {"<=", FXR_PROBE_AT_MOST},
                                           {">=", FXR_PROBE_AT_LEAST},
                                           {"<", FXR_PROBE_LESS},
                                           {">", FXR_PROBE_GREATER},
                                           {"=", FXR_PROBE_EQUAL},
                                           {"&", FXR_PROBE_HAS_BITS}}};
  for (const Sign& sign : kSigns) {
    if (TakePrefix(text, sign.text)) return sign.test;
  }
  return std::nullopt;
}

util::Result<std::vector<ComparisonText>> ParseFilter(std::string_view text) {
  constexpr const char* kHint =
      "a filter compares arguments with numbers: 'if len > 4096 and flags & 2 or len == 0'; 'and' "
      "binds closer";
  std::vector<ComparisonText> filter;
  for (;;) {
    SkipSpace(text);
    const auto wrong = [&] {
      return util::Error{fmt::format("the filter cannot be read at '{}'", text), kHint};
    };
    ComparisonText comparison;
    auto value = TakeValue(text);
    if (!value) return util::Error{value.error().message, kHint};
    comparison.value = std::move(*value);
    SkipSpace(text);
    const auto test = TakeTest(text);
    if (!test) return wrong();
    comparison.test = *test;
    SkipSpace(text);
    const auto number = TakeNumber(text);
    if (!number) return wrong();
    comparison.constant = *number;
    SkipSpace(text);
    comparison.ends_and = text.empty() || TakePrefix(text, "or ") || TakePrefix(text, "||");
    const bool is_last = text.empty();
    if (!comparison.ends_and && !TakePrefix(text, "and ") && !TakePrefix(text, "&&"))
      return wrong();
    filter.push_back(std::move(comparison));
    if (filter.size() > FXR_PROBE_COMPARISONS) {
      return util::Error{fmt::format("a filter has at most {} comparisons", FXR_PROBE_COMPARISONS),
                         ""};
    }
    if (is_last) return filter;
  }
}

// The index of the parenthesis that the last character closes.
size_t OpeningOf(std::string_view text) {
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

util::Result<ProbeText> ParseProbe(std::string_view text) {
  ProbeText probe;
  if (const size_t at = text.find(kIf); at != std::string_view::npos) {
    auto filter = ParseFilter(text.substr(at + kIf.size()));
    if (!filter) return filter.TakeError();
    probe.filter = std::move(*filter);
    text = text.substr(0, at);
  }
  text = Trimmed(text);
  if (const size_t at = text.rfind(kWantsValue); at != std::string_view::npos) {
    const std::string_view rest = text.substr(at + kWantsValue.size());
    if (rest.empty() || rest.starts_with(':')) {
      probe.return_value = true;
      if (!rest.empty()) probe.result_type = rest.substr(1);
      if (!rest.empty() && !FindType(probe.result_type)) {
        return util::Error{fmt::format("'{}' is not a type", probe.result_type),
                           "the types are str, ptr, bool, char, s8 to s64 and u8 to u64"};
      }
      text = text.substr(0, at);
    }
  }
  if (!probe.return_value && text.ends_with(kEntryOnly)) {
    probe.entry_only = true;
    text.remove_suffix(kEntryOnly.size());
  }
  text = Trimmed(text);
  probe.symbol = text;
  const size_t open = text.ends_with(')') ? OpeningOf(text) : std::string_view::npos;
  if (open != std::string_view::npos && open != 0) {
    probe.with_list = text;
    probe.symbol = Trimmed(text.substr(0, open));
    auto arguments = ParseArguments(text.substr(open + 1, text.size() - open - 2));
    if (arguments) {
      probe.arguments = std::move(*arguments);
    } else {
      probe.arguments_error = arguments.TakeError();
    }
  }
  return probe;
}

std::optional<ArgumentType> FindType(std::string_view name) {
  using Form = ArgumentType::Form;
  if (name == "str") return ArgumentType{8, false, false, Form::kText};
  if (name == "ptr") return ArgumentType{8, false, false, Form::kPointer};
  if (name == "bool") return ArgumentType{1, false, false, Form::kBool};
  if (name == "char") return ArgumentType{1, true, false, Form::kNumber};
  if (name.size() < 2 || (name[0] != 's' && name[0] != 'u')) return std::nullopt;
  for (const unsigned bytes : {1u, 2u, 4u, 8u}) {
    if (name.substr(1) == std::to_string(8 * bytes))
      return ArgumentType{bytes, name[0] == 's', false, Form::kNumber};
  }
  return std::nullopt;
}

bool IsPositional(const ValueText& value) {
  if (value.base.starts_with('%')) return true;
  const std::string_view number = std::string_view(value.base).substr(0, 3) == "arg"
                                      ? std::string_view(value.base).substr(3)
                                      : "";
  return !number.empty() && number.size() <= 2 && number[0] != '0' &&
         std::ranges::all_of(
             number, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

util::Result<Argument> ResolvePositional(const ValueText& value, Machine machine) {
  if (!value.path.empty()) {
    return util::Error{fmt::format("'{}': the type of {} is not known", value.name, value.base),
                       "members are found by names of parameters, with debug information"};
  }
  Argument argument;
  argument.name = value.name;
  argument.type = {8, true, false, ArgumentType::Form::kNumber};
  Register source = StackPointer(machine);
  if (value.base.starts_with('%')) {
    const auto found = FindRegister(machine, std::string_view(value.base).substr(1));
    if (!found) {
      return util::Error{
          fmt::format("there is no register '{}'", value.base),
          machine == Machine::kX86 ? "they are named like %di and %r8" : "they are named like %x0"};
    }
    source = *found;
    argument.type.bytes = source.bytes;
    argument.type.is_signed = source.bytes == 8;
  } else {
    const unsigned index = static_cast<unsigned>(std::stoul(value.base.substr(3))) - 1;
    if (const auto found = ArgumentRegister(machine, index)) {
      source = *found;
    } else {
      unsigned in_registers = 0;
      while (ArgumentRegister(machine, in_registers)) ++in_registers;
      argument.operand.steps = 1;
      argument.operand.bytes = 8;
      argument.operand.offsets[0] =
          EntryStackOffset(machine) + static_cast<int>(8 * (index - in_registers));
    }
  }
  if (!value.type.empty()) argument.type = *FindType(value.type);
  argument.operand.source = source.offset;
  argument.operand.bits = static_cast<fxr_u8>(8 * argument.type.bytes);
  argument.operand.is_signed = argument.type.is_signed;
  if (argument.type.form == ArgumentType::Form::kText) argument.MakeText(FXR_PROBE_TEXT_BYTES);
  return argument;
}

util::Result<fxr_probe_comparison> MakeComparison(const ComparisonText& text,
                                                  const Argument& argument) {
  if (argument.type.form == ArgumentType::Form::kText || argument.type.is_float) {
    return util::Error{fmt::format("filter: '{}' is not an integer", argument.name),
                       "a filter compares integers, pointers and truth values"};
  }
  fxr_probe_comparison comparison{};
  comparison.operand = argument.operand;
  comparison.value = text.constant;
  comparison.test = static_cast<fxr_u8>(text.test);
  comparison.ends_and = text.ends_and;
  return comparison;
}

util::Status CheckLimits(const Probe& probe) {
  size_t operands = 0;
  size_t texts = 0;
  for (const Argument& argument : probe.shown) {
    operands += argument.length ? 2 : 1;
    if (argument.type.form == ArgumentType::Form::kText) ++texts;
  }
  if (operands > FXR_PROBE_ARGUMENTS) {
    return util::Error{fmt::format("{}: too many arguments", probe.name),
                       fmt::format("at most {}; a C++ string counts twice", FXR_PROBE_ARGUMENTS)};
  }
  if (texts > FXR_PROBE_TEXTS) {
    return util::Error{fmt::format("{}: {} strings", probe.name, texts),
                       fmt::format("at most {}", FXR_PROBE_TEXTS)};
  }
  return util::Ok();
}

}  // namespace probes
