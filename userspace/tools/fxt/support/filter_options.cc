// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/filter_options.h"

#include <fmt/format.h>

#include <optional>

namespace tools {

using facts::RecordKind;

void FilterOptions::AddTimesTo(const Command& command) {
  command
      .Add("--from", from,
           "Earliest time: 1.5s, 20ms since the first record, or @ and ns (@123456789)")
      .Type("TIME");
  command.Add("--to", to, "Latest time, as --from").Type("TIME");
}

void FilterOptions::AddTasksTo(const Command& command) {
  command
      .Add("-t,--thread", threads,
           "Threads, by id (koid or tid) or name; * and ? match. May be given again")
      .Type("ID|NAME")
      .Commas();
  command.Add("-p,--process", processes, "Processes, as --thread").Type("ID|NAME").Commas();
}

void FilterOptions::AddTo(const Command& command) {
  AddTimesTo(command);
  AddTasksTo(command);
  command.Add("--cpu", cpus, "CPUs").Type("N").Commas();
}

void FilterOptions::AddKindsTo(const Command& command) {
  command
      .Add("--type", types,
           "Kinds of records, as the second column has them; event stands for all events")
      .Type("KIND")
      .Commas();
  command.Add("--category", categories, "Categories of events").Type("NAME").Commas();
}

util::Result<FilterOptions::Moments> FilterOptions::ParseTimes() const {
  Moments moments;
  for (const auto& [text, moment] :
       {std::pair(&from, &moments.begin), std::pair(&to, &moments.end)}) {
    if (text->empty()) continue;
    auto parsed = analyze::ParseMoment(*text);
    if (!parsed) return parsed.TakeError();
    *moment = *parsed;
  }
  const auto& [begin, end] = moments;
  if (begin && end && begin->absolute == end->absolute && begin->ns > end->ns) {
    return util::Error{fmt::format("--from {} is after --to {}", from, to), ""};
  }
  return moments;
}

util::Result<measure::CollectorOptions> FilterOptions::MakeWindow() const {
  const auto moments = ParseTimes();
  if (!moments) return moments.error();
  measure::CollectorOptions options;
  if (moments->begin) {
    options.from = moments->begin->ns;
    options.from_is_relative = !moments->begin->absolute;
  }
  if (moments->end) {
    options.to = moments->end->ns;
    options.to_is_relative = !moments->end->absolute;
  }
  return options;
}

util::Result<analyze::RecordFilter> FilterOptions::Make() const {
  const auto moments = ParseTimes();
  if (!moments) return moments.error();
  analyze::RecordFilter filter;
  filter.time = analyze::TimeRange(moments->begin, moments->end);
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
      return util::Error{fmt::format("\"{}\" is not a kind of record", type), "kinds: " + known};
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
