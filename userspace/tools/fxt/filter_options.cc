// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/filter_options.h"

#include <fmt/format.h>

#include <optional>

namespace tools {

using facts::RecordKind;

void FilterOptions::AddTo(CLI::App& command) {
  command
      .add_option("--from", from,
                  "Earliest time: 1.5s, 20ms since the first record, or @ and ns (@123456789)")
      ->type_name("TIME");
  command.add_option("--to", to, "Latest time, as --from")->type_name("TIME");
  command
      .add_option("-t,--thread", threads,
                  "Threads, by id (koid or tid) or name; * and ? match. May be given again")
      ->type_name("ID|NAME")
      ->allow_extra_args(false)
      ->delimiter(',');
  command.add_option("-p,--process", processes, "Processes, as --thread")
      ->type_name("ID|NAME")
      ->allow_extra_args(false)
      ->delimiter(',');
  command.add_option("--cpu", cpus, "CPUs")
      ->type_name("N")
      ->allow_extra_args(false)
      ->delimiter(',');
}

void FilterOptions::AddKindsTo(CLI::App& command) {
  command
      .add_option("--type", types,
                  "Kinds of records, as the second column has them; event stands for all events")
      ->type_name("KIND")
      ->allow_extra_args(false)
      ->delimiter(',');
  command.add_option("--category", categories, "Categories of events")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->delimiter(',');
}

util::Result<analyze::RecordFilter> FilterOptions::Make() const {
  analyze::RecordFilter filter;
  std::optional<analyze::Moment> begin;
  std::optional<analyze::Moment> end;
  for (const auto& [text, moment] : {std::pair(&from, &begin), std::pair(&to, &end)}) {
    if (text->empty()) continue;
    auto parsed = analyze::ParseMoment(*text);
    if (!parsed) return parsed.TakeError();
    *moment = *parsed;
  }
  if (begin && end && begin->absolute == end->absolute && begin->ns > end->ns) {
    return util::Error{fmt::format("--from {} is after --to {}", from, to), ""};
  }
  filter.time = analyze::TimeRange(begin, end);
  for (const std::string& thread : threads) filter.threads.Add(thread);
  for (const std::string& process : processes) filter.processes.Add(process);
  filter.cpus.insert(cpus.begin(), cpus.end());
  filter.categories.insert(categories.begin(), categories.end());
  for (const std::string& type : types) {
    if (type == "event") {
      for (auto kind = static_cast<size_t>(RecordKind::kInstant);
           kind <= static_cast<size_t>(RecordKind::kFlowEnd); ++kind) {
        filter.kinds.set(kind);
      }
      continue;
    }
    const auto kind = facts::KindNamed(type);
    if (!kind) {
      std::string known = "event";
      for (size_t i = 0; i < facts::kRecordKinds; ++i) {
        known += fmt::format(", {}", NameOf(static_cast<RecordKind>(i)));
      }
      return util::Error{fmt::format("\"{}\" is no kind of record", type), "kinds: " + known};
    }
    filter.kinds.set(static_cast<size_t>(*kind));
  }
  return filter;
}

std::string FilterOptions::Describe() const {
  std::string text;
  const auto add = [&](const char* option, const auto& values) {
    if (values.empty()) return;
    if (!text.empty()) text += ' ';
    text += fmt::format("{} {}", option, fmt::join(values, ","));
  };
  add("--thread", threads);
  add("--process", processes);
  add("--cpu", cpus);
  return text;
}

}  // namespace tools
