// SPDX-License-Identifier: BSD-2-Clause
#include "capture/probes/kernel_functions.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>

#include "fxt_record/event.h"
#include "probes/function_finder.h"
#include "util/nearest.h"

namespace capture {
namespace {

// Not functions: padding before them, and what the compiler keeps beside them.
constexpr std::array<std::string_view, 4> kMarks = {"__pfx_", "__cfi_", "__SCT__", "__probestub_"};

bool IsMark(std::string_view name) {
  return std::ranges::any_of(kMarks, [&](std::string_view mark) { return name.starts_with(mark); });
}

std::string_view TakeField(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end);
  return field;
}

}  // namespace

util::Result<KernelFunctions> KernelFunctions::Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  KernelFunctions read(text);
  if (!read.functions_.empty()) return read;
  return util::Error{fmt::format("{} names no functions of the kernel", path),
                     "it takes CONFIG_KALLSYMS and a mounted /proc"};
}

KernelFunctions::KernelFunctions(std::string_view kallsyms) {
  while (!kallsyms.empty()) {
    const size_t end = std::min(kallsyms.find('\n'), kallsyms.size());
    std::string_view line = kallsyms.substr(0, end);
    kallsyms.remove_prefix(std::min(end + 1, kallsyms.size()));
    const std::string_view address = TakeField(line);
    const std::string_view type = TakeField(line);
    const std::string_view name = TakeField(line);
    std::string_view module = TakeField(line);
    if ((type != "t" && type != "T" && type != "w" && type != "W") || name.empty() || IsMark(name))
      continue;
    KernelFunction function{std::string(name), 0, ""};
    std::from_chars(address.data(), address.data() + address.size(), function.address, 16);
    if (module.starts_with('[') && module.ends_with(']')) {
      function.module = module.substr(1, module.size() - 2);
      if (function.module == "bpf" || function.module.starts_with("__builtin"))
        continue;  // made at run time
    }
    functions_.push_back(std::move(function));
  }
}

util::Error KernelFunctions::NoSuch(const std::string& symbol) const {
  if (probes::IsPattern(symbol)) {
    return {fmt::format("the kernel has no function that '{}' matches", symbol),
            "patterns have * and ?: 'vfs_*'"};
  }
  std::vector<std::string> names;
  for (const KernelFunction& each : functions_) {
    if (each.name.starts_with(symbol) && each.name.size() > symbol.size() &&
        each.name[symbol.size()] == '.') {
      return {
          fmt::format("the compiler changed the parameters of '{}': the kernel has {}", symbol,
                      each.name),
          fmt::format("probe that, with arguments by position: --kprobe '{}(arg1)'", each.name)};
    }
    names.push_back(each.name);
  }
  return {
      fmt::format(
          "the kernel has no function '{}': there is none, or the compiler inlined it everywhere",
          symbol),
      fmt::format("{}it must be in /proc/kallsyms", util::Suggestion(symbol, names))};
}

util::Result<std::vector<KernelFunction>> KernelFunctions::Find(const std::string& symbol) const {
  const bool is_pattern = probes::IsPattern(symbol);
  const bool has_dot = symbol.find('.') != std::string::npos;
  std::vector<KernelFunction> found;
  for (const KernelFunction& each : functions_) {
    const bool matches = is_pattern ? fnmatch(symbol.c_str(), each.name.c_str(), 0) == 0 &&
                                          (has_dot || each.name.find('.') == std::string::npos)
                                    : each.name == symbol;
    if (!matches) continue;
    // Aliases are one function, and by name alone the kernel knows one.
    const bool is_known = std::ranges::any_of(found, [&](const KernelFunction& other) {
      return each.address != 0 ? other.address == each.address : other.name == each.name;
    });
    if (!is_known) found.push_back(each);
    if (found.size() > FXR_MAX_PROBES) {
      return util::Error{
          fmt::format("'{}' matches more than {} functions of the kernel", symbol, FXR_MAX_PROBES),
          "that is the limit: narrow the pattern down"};
    }
  }
  if (found.empty()) return NoSuch(symbol);
  return found;
}

}  // namespace capture
