// SPDX-License-Identifier: BSD-2-Clause
#include "probes/probe_resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "fxt_record/event.h"
#include "probes/argument_finder.h"
#include "probes/function_finder.h"
#include "probes/probe_arguments.h"
#include "probes/probe_text.h"
#include "probes/usdt_notes.h"
#include "symbols/elf_file.h"
#include "util/nearest.h"

namespace probes {
namespace {

// Splits FILE:REST.
util::Result<std::pair<std::string, std::string_view>> SplitFile(std::string_view text,
                                                                 const SearchPaths& places,
                                                                 const util::Error& wrong) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size()) return wrong;
  auto file = FindFile(std::string(text.substr(0, colon)), places);
  if (!file) return file.TakeError();
  return std::pair(std::move(*file), text.substr(colon + 1));
}

// The functions that `text` names, whose last parentheses may be a parameter list of C++: then
// `text` has no arguments.
util::Result<std::vector<FoundFunction>> FindNamed(const std::string& file, ProbeText* text,
                                                   const symbols::DebugFileOptions& options) {
  if (!text->with_list.empty()) {
    auto functions = FindFunctions(file, text->with_list, options);
    if (functions) {
      text->arguments.clear();
      return functions;
    }
    if (text->arguments_error) {
      auto others = FindFunctions(file, text->symbol, options);
      return others ? *text->arguments_error : functions.TakeError();
    }
  }
  return FindFunctions(file, text->symbol, options);
}

bool IsClone(std::string_view name) {
  return std::ranges::any_of(
      std::array{".isra", ".constprop", ".part", ".cold", "[clone"},
      [&](std::string_view suffix) { return name.find(suffix) != std::string_view::npos; });
}

// Sets the arguments of `probes`, one for each of `functions`. Those of a pattern that cannot be
// read are removed and added to `skipped`.
util::Status AddArguments(const ProbeText& text, const std::string& path,
                          const std::vector<FoundFunction>& functions,
                          const symbols::DebugFileOptions& options, std::vector<Probe>* probes,
                          SkippedProbes* skipped) {
  ArgumentQuery query;
  query.values = NamedValues(text);
  query.wants_result = text.return_value;
  query.result_type = text.result_type;
  std::optional<std::vector<FunctionArguments>> found;
  if (!query.values.empty() || query.wants_result) {
    auto file = symbols::ElfFile::Open(path);
    if (!file) return file.TakeError();
    for (const FoundFunction& each : functions)
      query.functions.push_back({each.address, IsClone(each.name)});
    auto arguments = FindArguments(path, *file, options, query);
    if (!arguments && !query.values.empty()) return arguments.TakeError();
    if (arguments) found = std::move(*arguments);
  }
  std::vector<Probe> complete;
  for (size_t i = 0; i < functions.size(); ++i) {
    Probe& probe = (*probes)[i];
    auto status = SetArguments(text, found ? &(*found)[i] : nullptr,
                               path + " has no debug information", &probe);
    if (status) {
      complete.push_back(std::move(probe));
    } else if (probe.pattern.empty()) {
      return util::Error{fmt::format("{}: {}", probe.name, status.error().message),
                         status.error().hint};
    } else {
      skipped->Add(probe.pattern, probe.name, status.error().message);
    }
  }
  *probes = std::move(complete);
  return util::Ok();
}

util::Status AddFunctions(const std::string& text, const SearchPaths& places,
                          const symbols::DebugFileOptions& options, std::vector<Probe>* probes,
                          SkippedProbes* skipped) {
  const util::Error wrong{fmt::format("--uprobe {}: no file and function", text),
                          "write it like --uprobe /usr/bin/bash:readline or "
                          "--uprobe libc.so.6:malloc+retval"};
  auto split = SplitFile(text, places, wrong);
  if (!split) return split.TakeError();
  const std::string& file = split->first;
  auto parsed = ParseProbe(split->second);
  if (!parsed) return parsed.TakeError();
  if (parsed->symbol.empty()) return wrong;
  auto functions = FindNamed(file, &*parsed, options);
  if (!functions) return functions.TakeError();
  std::vector<Probe> added;
  for (const FoundFunction& function : *functions) {
    Probe& probe = added.emplace_back();
    probe.file = file;
    probe.name = function.name;
    probe.offset = function.offset;
    probe.return_value = parsed->return_value;
    probe.entry_only = parsed->entry_only;
    if (IsPattern(parsed->symbol)) probe.pattern = "--uprobe " + text;
  }
  if (auto status = AddArguments(*parsed, file, *functions, options, &added, skipped); !status) {
    return util::Error{fmt::format("--uprobe {}: {}", text, status.error().message),
                       status.error().hint};
  }
  for (Probe& probe : added) {
    if (auto status = AddProbe("--uprobe " + text, std::move(probe), probes); !status)
      return status;
  }
  return util::Ok();
}

// An argument of a USDT probe, with the type that the program declares unless another is asked for.
util::Result<Argument> ResolveUsdt(const Probe& probe, const ValueText& value) {
  if (!IsPositional(value) || value.base.starts_with('%') || !value.path.empty()) {
    return util::Error{fmt::format("--usdt {}: '{}' is not an argument", probe.name, value.name),
                       "arguments of a USDT probe have numbers: arg1, arg2:str"};
  }
  const size_t number = std::stoul(value.base.substr(3));
  if (number > probe.arguments.size()) {
    return util::Error{fmt::format("--usdt {}: there is no '{}'", probe.name, value.base),
                       fmt::format("it has {} arguments", probe.arguments.size())};
  }
  const ArgumentType& declared = probe.arguments[number - 1];
  if (declared.is_float) {
    return util::Error{
        fmt::format("--usdt {}: '{}' is a floating-point number, which cannot be read", probe.name,
                    value.base),
        ""};
  }
  Argument argument;
  argument.name = value.name;
  argument.type = value.type.empty() ? declared : *FindType(value.type);
  argument.operand.source = static_cast<fxr_u16>(number - 1);
  argument.operand.bits = static_cast<fxr_u8>(8 * argument.type.bytes);
  argument.operand.is_signed = argument.type.is_signed;
  if (argument.type.form == ArgumentType::Form::kText) argument.MakeText(FXR_PROBE_TEXT_BYTES);
  return argument;
}

util::Status AddUsdt(const std::string& text, const SearchPaths& places,
                     std::vector<Probe>* probes) {
  const util::Error wrong{
      fmt::format("--usdt {}: no file, provider and probe", text),
      "write it like --usdt /usr/bin/python3:python:function__entry, or with arguments: "
      "'./server:shop:sold(arg1, arg2:str) if arg1 > 9'"};
  const size_t first = text.find(':');
  if (first == std::string::npos || first == 0) return wrong;
  auto parsed = ParseProbe(std::string_view(text).substr(first + 1));
  if (!parsed) return parsed.TakeError();
  if (parsed->arguments_error) return *parsed->arguments_error;
  const size_t last = parsed->symbol.rfind(':');
  if (last == std::string::npos || last == 0 || last + 1 == parsed->symbol.size() ||
      parsed->return_value || parsed->entry_only) {
    return wrong;
  }
  auto path = FindFile(text.substr(0, first), places);
  if (!path) return path.TakeError();
  auto file = symbols::ElfFile::Open(*path);
  if (!file) return file.TakeError();
  const std::string provider = parsed->symbol.substr(0, last);
  const std::string name = parsed->symbol.substr(last + 1);
  const auto notes = ReadUsdtNotes(file->ReadSection(".note.stapsdt"));
  const auto note = std::ranges::find_if(
      notes, [&](const UsdtNote& each) { return each.provider == provider && each.name == name; });
  if (note == notes.end()) {
    std::vector<std::string> known;
    for (const UsdtNote& each : notes) known.push_back(each.provider + ":" + each.name);
    const std::string nearest = util::Nearest(provider + ":" + name, known);
    return util::Error{
        fmt::format("{} has no USDT probe '{}:{}'", *path, provider, name),
        nearest.empty() ? "it has none at all" : fmt::format("did you mean '{}'?", nearest)};
  }
  Probe probe;
  probe.kind = Probe::Kind::kUsdt;
  probe.file = *path;
  probe.name = provider + ":" + name;
  probe.provider = provider;
  probe.usdt_name = name;
  probe.arguments = note->arguments;
  for (const ValueText& value : parsed->arguments) {
    auto argument = ResolveUsdt(probe, value);
    if (!argument) return argument.TakeError();
    probe.shown.push_back(std::move(*argument));
  }
  for (const ComparisonText& text_of : parsed->filter) {
    auto argument = ResolveUsdt(probe, text_of.value);
    if (!argument) return argument.TakeError();
    auto comparison = MakeComparison(text_of, *argument);
    if (!comparison) return comparison.TakeError();
    probe.filter.push_back(*comparison);
  }
  // With a filter alone all arguments are shown.
  const size_t added = probe.shown.empty() && !probe.filter.empty() ? probe.arguments.size() : 0;
  for (size_t n = 1; n <= added; ++n) {
    ValueText value;
    value.base = value.name = fmt::format("arg{}", n);
    auto argument = ResolveUsdt(probe, value);
    if (argument) probe.shown.push_back(std::move(*argument));  // without floating-point numbers
  }
  if (auto status = CheckLimits(probe); !status) return status;
  return AddProbe("--usdt " + text, std::move(probe), probes);
}

}  // namespace

util::Status AddProbe(const std::string& option, Probe probe, std::vector<Probe>* probes) {
  const auto same = std::ranges::find_if(*probes, [&](const Probe& each) {
    return each.kind == probe.kind && each.file == probe.file && each.offset == probe.offset &&
           each.address == probe.address &&
           (probe.kind == Probe::Kind::kFunction || each.name == probe.name);
  });
  if (same == probes->end()) {
    if (probes->size() == FXR_MAX_PROBES) {
      return util::Error{fmt::format("{}: the functions are too many", option),
                         fmt::format("at most {} can be probed at once", FXR_MAX_PROBES)};
    }
    probes->push_back(std::move(probe));
    return util::Ok();
  }
  if (same->has_spec() || probe.has_spec()) {
    return util::Error{fmt::format("{}: {} is probed twice", option, probe.name),
                       "write all of its arguments in one list"};
  }
  same->return_value |= probe.return_value;
  same->entry_only &= probe.entry_only;
  if (probe.pattern.empty()) same->pattern.clear();
  if (!same->result) same->result = std::move(probe.result);
  return util::Ok();
}

util::Result<std::vector<Probe>> ResolveProbes(const std::vector<std::string>& functions,
                                               const std::vector<std::string>& usdt,
                                               const SearchPaths& places,
                                               const symbols::DebugFileOptions& options,
                                               SkippedProbes* skipped) {
  std::vector<Probe> probes;
  for (const std::string& text : functions) {
    if (util::Status status = AddFunctions(text, places, options, &probes, skipped); !status) {
      return status.error();
    }
  }
  for (const std::string& text : usdt) {
    if (util::Status status = AddUsdt(text, places, &probes); !status) return status.error();
  }
  if (auto status = skipped->CheckPatterns(probes); !status) return status.error();
  return probes;
}

}  // namespace probes
