// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/options/source_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "capture/counters/counter_set.h"
#include "schema/event_info.h"
#include "schema/request_protocols.h"
#include "tools/record/options/provider_categories.h"

namespace tools {

void SourceWords::Add(const Command& command) {
  command
      .AddInOrder(
          "-e,--event", [this](const std::string& pattern) { TakeEvent(pattern); },
          "Also record this tracepoint, as in sched:sched_stat_runtime or 'block:*' (may be "
          "repeated; --list-events shows them)")
      .Type("SYSTEM:NAME");
  command
      .AddInOrder(
          "--filter", [this](const std::string& filter) { TakeFilter(filter); },
          "Record only events of the preceding -e that match: 'order > 2', in the kernel's "
          "language "
          "of tracepoint filters")
      .Type("FILTER");
  command
      .AddInOrder(
          "--counters", [this](const std::string& list) { TakeCounters(list); },
          "Count these events in each run of a thread: cycles,instructions,cache-misses, or "
          "task-clock,page-faults on a machine without a performance monitoring unit")
      .Type("LIST");
  command
      .Add(
          "--uprobe", sources_.uprobes,
          "Record calls of this function of a program or library, from entry to return. +retval "
          "adds "
          "the returned value; +entry records only the entry, which C++ functions that throw need. "
          "Arguments are names of parameters, or arg1, arg2:str; a filter is like 'if len > 4096' "
          "(may be repeated)")
      .Type("PATH:SYMBOL[(ARGUMENTS)][+retval|+entry][ if FILTER]");
  command
      .Add("--usdt", sources_.usdts,
           "Record this USDT probe of a program or library, with all its arguments, or those of a "
           "list: arg1, arg2:str (may be repeated)")
      .Type("PATH:PROVIDER:NAME[(ARGUMENTS)][ if FILTER]");
  command
      .Add("--kprobe", sources_.kprobes,
           "Record calls of this function of the kernel, with arguments and filter as --uprobe has "
           "them; "
           "names and types are those of the kernel's BTF: 'vfs_fsync_range(file->f_inode->i_ino, "
           "start, end)+retval' "
           "(may be repeated)")
      .Type("FUNCTION[(ARGUMENTS)][+retval|+entry][ if FILTER]");
  command.Add(
      "--requests", requests_,
      "Also record the requests of servers on TCP and Unix connections: -c default,request");
  command
      .AddInOrder(
          "--request-names", [this](const std::string& list) { TakeRequestNames(list); },
          "As --requests, and name requests of these protocols by their payload: "
          "http,redis,postgres,mysql. The recorder reads the first 64 bytes of each request, and "
          "writes its method and path, its command, or the first word of its statement")
      .Type("LIST");
}

void SourceWords::TakeRequestNames(const std::string& list) {
  schema::RequestProtocols protocols;
  for (const std::string& name : SplitAtCommas(list)) {
    if (!schema::SelectRequestProtocol(name, protocols)) {
      problem_ = fmt::format("--request-names: there is no protocol '{}'", name);
      hint_ = fmt::format("the protocols are: {}", fmt::join(schema::RequestProtocolNames(), ", "));
    }
    sources_.request_names.push_back(name);
  }
}

void SourceWords::TakeEvent(const std::string& pattern) {
  if (pattern.empty()) problem_ = "-e without the name of a tracepoint";
  sources_.tracepoints.push_back({pattern, ""});
}

void SourceWords::TakeCounters(const std::string& list) {
  if (has_counters_) counters_ += ',';
  counters_ += list;
  has_counters_ = true;
}

void SourceWords::TakeFilter(const std::string& filter) {
  if (sources_.tracepoints.empty()) {
    problem_ = "--filter has no -e before it";
  } else if (!sources_.tracepoints.back().filter.empty()) {
    problem_ = fmt::format("-e {} has two filters", sources_.tracepoints.back().pattern);
  } else if (filter.empty()) {
    problem_ = "--filter without a filter";
  } else {
    sources_.tracepoints.back().filter = filter;
  }
}

util::Status SourceWords::Take(RecordOptions& options) const {
  if (!problem_.empty()) {
    return util::Error{problem_, hint_.empty()
                                     ? "write it like: -e kmem:mm_page_alloc --filter 'order > 2'"
                                     : hint_};
  }
  options.sources = sources_;
  if (requests_) {
    options.categories.wanted.set(FXR_CATEGORY_REQUEST);
    options.categories.by_name.set(FXR_CATEGORY_REQUEST);
  }
  if (has_counters_) {
    auto names = capture::CounterSet::ParseNames(counters_);
    if (!names) return names.TakeError();
    options.sources.counters = std::move(*names);
  }
  return ApplySources(options);
}

util::Status ApplySources(RecordOptions& options) {
  capture::CategorySelection& selection = options.categories;
  if (!options.sources.request_names.empty()) {
    selection.wanted.set(FXR_CATEGORY_REQUEST);
    selection.by_name.set(FXR_CATEGORY_REQUEST);
  }
  struct Source {
    fxr_category category;
    bool asked_for;
    const char* what;
    const char* example;
  };
  for (const Source& source :
       {Source{FXR_CATEGORY_PROBE, options.sources.probes(), "needs a function to probe",
               "--uprobe PATH:SYMBOL, --usdt PATH:PROVIDER:NAME, --kprobe FUNCTION"},
        Source{FXR_CATEGORY_TRACEPOINT, !options.sources.tracepoints.empty(),
               "does not say of what", "ask for it with -e 'block:*'"},
        Source{FXR_CATEGORY_COUNTER, !options.sources.counters.empty(), "does not say of what",
               "ask for it with --counters task-clock,page-faults"}}) {
    if (!source.asked_for && selection.by_name.test(source.category)) {
      return util::Error{
          fmt::format("category '{}' {}", schema::CategoryName(source.category), source.what),
          source.example};
    }
    selection.wanted.set(source.category, source.asked_for);
    selection.by_name.set(source.category, source.asked_for);
  }
  return util::Ok();
}

}  // namespace tools
