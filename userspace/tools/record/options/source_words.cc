// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/source_words.h"

#include <fmt/format.h>

#include <utility>

#include "capture/counters/counter_set.h"
#include "schema/event_info.h"

namespace tools {

void SourceWords::Add(const Program& program) {
  program
      .AddInOrder(
          "-e,--event", [this](const std::string& pattern) { TakeEvent(pattern); },
          "Also record this tracepoint, as in sched:sched_stat_runtime or 'block:*' (may be "
          "repeated; --list-events shows them)")
      .Type("SYSTEM:NAME");
  program
      .AddInOrder(
          "--filter", [this](const std::string& filter) { TakeFilter(filter); },
          "Only its events of which this is true: 'order > 2', in the kernel's language of "
          "tracepoint filters (for the -e before it)")
      .Type("FILTER");
  program
      .Add("--counters", counters_,
           "Count these events by the runs of threads: cycles,instructions,cache-misses, or "
           "task-clock,page-faults where the machine has no performance monitoring unit")
      .Type("LIST");
}

void SourceWords::TakeEvent(const std::string& pattern) {
  if (pattern.empty()) problem_ = "-e without the name of a tracepoint";
  requests_.push_back({pattern, ""});
}

void SourceWords::TakeFilter(const std::string& filter) {
  if (requests_.empty()) {
    problem_ = "--filter stands before the -e that it belongs to";
  } else if (!requests_.back().filter.empty()) {
    problem_ = fmt::format("-e {} has two filters", requests_.back().pattern);
  } else if (filter.empty()) {
    problem_ = "--filter without a filter";
  } else {
    requests_.back().filter = filter;
  }
}

util::Status SourceWords::Take(const Program& program, RecordOptions& options) {
  if (!problem_.empty()) {
    return util::Error{problem_, "write it like: -e kmem:mm_page_alloc --filter 'order > 2'"};
  }
  options.tracepoints = requests_;
  if (program.Has("--counters")) {
    auto names = capture::CounterSet::ParseNames(counters_);
    if (!names) return names.TakeError();
    options.counters = std::move(*names);
  }
  capture::CategorySelection& selection = options.categories;
  struct Source {
    fxr_category category;
    bool asked_for;
    const char* example;
  };
  for (const Source& source :
       {Source{FXR_CATEGORY_TRACEPOINT, !options.tracepoints.empty(), "-e 'block:*'"},
        Source{FXR_CATEGORY_COUNTER, !options.counters.empty(),
               "--counters task-clock,page-faults"}}) {
    if (!source.asked_for && selection.by_name.test(source.category)) {
      return util::Error{
          fmt::format("category '{}' does not say of what", schema::CategoryName(source.category)),
          fmt::format("ask for it with {}", source.example)};
    }
    selection.wanted.set(source.category, source.asked_for);
    selection.by_name.set(source.category, source.asked_for);
  }
  return util::Ok();
}

}  // namespace tools
