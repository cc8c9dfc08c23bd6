// SPDX-License-Identifier: BSD-2-Clause
#include "probes/probe_resolver.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "fxt_record/event.h"
#include "probes/function_finder.h"
#include "probes/usdt_notes.h"
#include "symbols/elf_file.h"
#include "util/nearest.h"

namespace probes {
namespace {

constexpr std::string_view kWantsValue = "+retval";
constexpr std::string_view kEntryOnly = "+entry";

util::Status AddFunctions(const std::string& text, const SearchPaths& places,
                          const symbols::DebugFileOptions& options, std::vector<Probe>* probes) {
  std::string_view rest = text;
  const bool return_value = rest.ends_with(kWantsValue);
  const bool entry_only = !return_value && rest.ends_with(kEntryOnly);
  if (return_value) rest.remove_suffix(kWantsValue.size());
  if (entry_only) rest.remove_suffix(kEntryOnly.size());
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == rest.size()) {
    return util::Error{fmt::format("--uprobe {}: no file and function", text),
                       "write it like --uprobe /usr/bin/bash:readline or "
                       "--uprobe libc.so.6:malloc+retval"};
  }
  auto file = FindFile(std::string(rest.substr(0, colon)), places);
  if (!file) return file.TakeError();
  auto functions = FindFunctions(*file, std::string(rest.substr(colon + 1)), options);
  if (!functions) return functions.TakeError();
  for (FoundFunction& function : *functions) {
    const auto same = std::ranges::find_if(*probes, [&](const Probe& each) {
      return each.kind == Probe::Kind::kFunction && each.file == *file &&
             each.offset == function.offset;
    });
    if (same != probes->end()) {
      same->return_value |= return_value;
      same->entry_only &= entry_only;
      continue;
    }
    Probe probe;
    probe.file = *file;
    probe.name = std::move(function.name);
    probe.offset = function.offset;
    probe.return_value = return_value;
    probe.entry_only = entry_only;
    probes->push_back(std::move(probe));
  }
  return util::Ok();
}

util::Status AddUsdt(const std::string& text, const SearchPaths& places,
                     std::vector<Probe>* probes) {
  const size_t first = text.find(':');
  const size_t last = text.rfind(':');
  if (first == std::string::npos || first == last || first == 0 || last + 1 == text.size() ||
      first + 1 == last) {
    return util::Error{fmt::format("--usdt {}: no file, provider and probe", text),
                       "write it like --usdt /usr/bin/python3:python:function__entry"};
  }
  auto path = FindFile(text.substr(0, first), places);
  if (!path) return path.TakeError();
  auto file = symbols::ElfFile::Open(*path);
  if (!file) return file.TakeError();
  const std::string provider = text.substr(first + 1, last - first - 1);
  const std::string name = text.substr(last + 1);
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
  const auto same = std::ranges::find_if(*probes, [&](const Probe& each) {
    return each.kind == Probe::Kind::kUsdt && each.file == *path && each.provider == provider &&
           each.usdt_name == name;
  });
  if (same != probes->end()) return util::Ok();
  Probe probe;
  probe.kind = Probe::Kind::kUsdt;
  probe.file = *path;
  probe.name = provider + ":" + name;
  probe.provider = provider;
  probe.usdt_name = name;
  probe.arguments = note->arguments;
  probes->push_back(std::move(probe));
  return util::Ok();
}

}  // namespace

util::Result<std::vector<Probe>> ResolveProbes(const std::vector<std::string>& functions,
                                               const std::vector<std::string>& usdt,
                                               const SearchPaths& places,
                                               const symbols::DebugFileOptions& options) {
  std::vector<Probe> probes;
  for (const std::string& text : functions) {
    if (util::Status status = AddFunctions(text, places, options, &probes); !status) {
      return status.error();
    }
  }
  for (const std::string& text : usdt) {
    if (util::Status status = AddUsdt(text, places, &probes); !status) return status.error();
  }
  if (probes.size() > FXR_MAX_PROBES) {
    return util::Error{fmt::format("{} functions are too many", probes.size()),
                       fmt::format("at most {} can be probed at once", FXR_MAX_PROBES)};
  }
  return probes;
}

}  // namespace probes
