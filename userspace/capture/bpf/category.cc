// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/category.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "schema/event_info.h"
#include "util/nearest.h"

namespace capture {
namespace {

constexpr Tracepoint::Way SLOT = Tracepoint::Way::kSlot;
constexpr Tracepoint::Way MAY = Tracepoint::Way::kMaySlot;
constexpr Tracepoint::Way SIDE = Tracepoint::Way::kSide;
constexpr Tracepoint::Way SIDE_MAY = Tracepoint::Way::kMaySide;
constexpr Tracepoint::Way IDENTITY = Tracepoint::Way::kIdentity;
constexpr Tracepoint::Way BESIDE = Tracepoint::Way::kBeside;
constexpr Tracepoint::Way BESIDE_MAY = Tracepoint::Way::kMayBeside;
constexpr Tracepoint::Way PERF = Tracepoint::Way::kPerf;

constexpr std::string_view kStackParts[] = {"off", "wake", "on"};

constexpr Tracepoint kTracepoints[] = {
#define FXR_TRACEPOINT(category, tracepoint, name, way, type) \
  {FXR_CATEGORY_##category, #tracepoint, name, way},
    FXR_TRACEPOINT_TABLE(FXR_TRACEPOINT)
#undef FXR_TRACEPOINT
};

// The adjacent lines of one category.
constexpr std::span<const Tracepoint> TracepointsOf(fxr_category category) {
  const auto is_of = [=](const Tracepoint& each) { return each.category == category; };
  const auto begin = std::find_if(std::begin(kTracepoints), std::end(kTracepoints), is_of);
  const auto end = std::find_if_not(begin, std::end(kTracepoints), is_of);
  return {begin, end};
}

constexpr Category kCategories[] = {
#define FXR_CATEGORY(id, name, description, by_default) \
  {FXR_CATEGORY_##id, name, description, by_default != 0, TracepointsOf(FXR_CATEGORY_##id)},
    FXR_CATEGORY_TABLE(FXR_CATEGORY)
#undef FXR_CATEGORY
};

constexpr bool EveryTracepointIsFound() {
  size_t found = 0;
  for (const Category& category : kCategories) found += category.tracepoints.size();
  return found == std::size(kTracepoints);
}
static_assert(EveryTracepointIsFound(), "a category's tracepoints have to stand together");

std::string Join(std::span<const Tracepoint> tracepoints) {
  std::vector<std::string_view> names;
  names.reserve(tracepoints.size());
  for (const Tracepoint& each : tracepoints) names.push_back(each.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// A category whose parts can be selected separately.
struct PartList {
  fxr_category category;
  std::string_view example;
  std::vector<std::string>* names;  // receives the names
  bool all = false;                 // all parts were selected as well

  util::Status Add(std::string_view name) {
    if (name.empty()) {
      return util::Error{fmt::format("{}: without a name", schema::CategoryName(category)),
                         fmt::format("write it like: -c {}", example)};
    }
    if (category == FXR_CATEGORY_SCHED && name != "*" &&
        std::ranges::find(SchedEvents(), name, &Tracepoint::name) == SchedEvents().end()) {
      return util::Error{fmt::format("there is no scheduler event or category '{}'", name),
                         fmt::format("the events are: {}", Join(SchedEvents()))};
    }
    if (category == FXR_CATEGORY_STACK && name != "*" &&
        std::ranges::find(kStackParts, name) == std::end(kStackParts)) {
      return util::Error{fmt::format("there is no kind of stacks or category '{}'", name),
                         fmt::format("the kinds are: {}", fmt::join(kStackParts, ", "))};
    }
    if (name == "*") {
      all = true;
    } else {
      names->emplace_back(name);
    }
    return util::Ok();
  }
};

std::string KnownNames() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kCategories));
  for (const Category& category : kCategories) names.push_back(category.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::span<const Tracepoint> SchedEvents() { return TracepointsOf(FXR_CATEGORY_SCHED); }

std::span<const std::string_view> StackParts() { return kStackParts; }

std::span<const Tracepoint> AllTracepoints() { return kTracepoints; }

std::span<const Category> AllCategories() { return kCategories; }

const Category* FindCategory(std::string_view name) {
  for (const Category& category : kCategories) {
    if (category.name == name) return &category;
  }
  return nullptr;
}

CategorySelection DefaultCategories() {
  CategorySelection selection;
  for (const Category& category : kCategories) {
    if (category.by_default) selection.wanted.set(category.id);
  }
  return selection;
}

util::Result<CategorySelection> ParseCategories(std::string_view list) {
  CategorySelection selection;
  std::array<PartList, 3> part_lists = {
      PartList{FXR_CATEGORY_SCHED, "sched:switch,waking", &selection.sched_events},
      PartList{FXR_CATEGORY_SYSCALL, "syscall:futex,read", &selection.syscalls},
      PartList{FXR_CATEGORY_STACK, "stack:off,wake", &selection.stack_parts}};
  PartList* parts = nullptr;  // the category whose further names may follow
  auto want = [&](fxr_category category) {
    selection.wanted.set(category);
    selection.by_name.set(category);
  };
  while (!list.empty()) {
    size_t comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    size_t colon = item.find(':');
    const Category* category = FindCategory(item.substr(0, colon));
    if (item.empty()) {
      return util::Error{"an empty name in the list of categories",
                         "write it like: -c sched,irq,syscall:futex"};
    }
    if (item == "all" || item == "default") {
      for (const Category& each : kCategories) {
        if (item == "all" || each.by_default) selection.wanted.set(each.id);
      }
      parts = nullptr;
      continue;
    }
    if (category) {
      parts = nullptr;
      for (PartList& each : part_lists) {
        if (each.category == category->id) parts = &each;
      }
      want(category->id);
      if (colon == std::string_view::npos) {
        if (parts) parts->all = true;
        parts = nullptr;
        continue;
      }
      item.remove_prefix(colon + 1);
    }
    if (!parts) {
      std::vector<std::string> known = {"default", "all"};
      for (const Category& each : kCategories) known.emplace_back(each.name);
      return util::Error{fmt::format("there is no category '{}'", item),
                         fmt::format("{}the categories are: {}; also: default, all",
                                     util::Suggestion(item, known), KnownNames())};
    }
    if (util::Status status = parts->Add(item); !status) return status.error();
  }
  if (selection.wanted.none()) {
    return util::Error{"no category to record",
                       fmt::format("the categories are: {}", KnownNames())};
  }
  for (PartList& each : part_lists) {
    if (each.all) each.names->clear();
  }
  return selection;
}

std::string DescribeCategories(const CategorySelection& selection) {
  std::vector<std::string> names;
  for (const Category& category : kCategories) {
    if (!selection.wanted.test(category.id)) continue;
    if (category.id == FXR_CATEGORY_SCHED && !selection.sched_events.empty()) {
      names.push_back(fmt::format("sched:{}", fmt::join(selection.sched_events, ",")));
    } else if (category.id == FXR_CATEGORY_SYSCALL && !selection.syscalls.empty()) {
      names.push_back(fmt::format("syscall:{}", fmt::join(selection.syscalls, ",")));
    } else if (category.id == FXR_CATEGORY_STACK && !selection.stack_parts.empty()) {
      names.push_back(fmt::format("stack:{}", fmt::join(selection.stack_parts, ",")));
    } else {
      names.emplace_back(category.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace capture
