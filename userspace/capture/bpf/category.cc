// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/category.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "util/nearest.h"

namespace capture {
namespace {

constexpr std::array<std::string_view, 4> kSched = {"sched_switch", "sched_waking",
                                                    "sched_wakeup_new", "sched_migrate_task"};
constexpr std::array<std::string_view, 4> kTask = {"sched_process_fork", "sched_process_exec",
                                                   "sched_process_exit", "task_rename"};
constexpr std::array<std::string_view, 1> kLog = {"console"};
constexpr std::array<std::string_view, 2> kIrq = {"irq_handler_entry", "irq_handler_exit"};
constexpr std::array<std::string_view, 2> kSoftirq = {"softirq_entry", "softirq_exit"};
constexpr std::array<std::string_view, 2> kSyscall = {"sys_enter", "sys_exit"};

constexpr std::array kCategories = {
    Category{FXR_CATEGORY_SCHED, "sched", "context switches, wakeups and migrations", true, kSched},
    Category{FXR_CATEGORY_TASK, "task", "fork, exec, exit and rename of tasks", true, kTask},
    Category{FXR_CATEGORY_LOG, "log", "kernel log messages", true, kLog},
    Category{FXR_CATEGORY_IRQ, "irq", "hardware interrupt handlers, per CPU", false, kIrq},
    Category{FXR_CATEGORY_SOFTIRQ, "softirq", "soft interrupt handlers, per CPU", false, kSoftirq},
    Category{FXR_CATEGORY_SYSCALL, "syscall", "system calls, all or syscall:NAME,NAME", false,
             kSyscall},
    Category{FXR_CATEGORY_LBR, "lbr", "last branches of the CPU (Intel LBR, AMD Zen)", false, {}},
};

constexpr std::array<std::string_view, 4> kSchedEvents = {"switch", "waking", "wakeup_new",
                                                          "migrate"};

// A category whose parts can be asked for one by one.
struct PartList {
  fxr_category category;
  std::string_view example;
  std::vector<std::string>* names;  // where they go
  bool all = false;                 // all of them were asked for, too

  util::Status Add(std::string_view name) {
    if (name.empty()) {
      return util::Error{fmt::format("{}: without a name", CategoryName(category)),
                         fmt::format("write it like: -c {}", example)};
    }
    if (category == FXR_CATEGORY_SCHED && name != "*" &&
        std::find(kSchedEvents.begin(), kSchedEvents.end(), name) == kSchedEvents.end()) {
      return util::Error{fmt::format("there is no scheduler event or category '{}'", name),
                         fmt::format("the events are: {}", fmt::join(kSchedEvents, ", "))};
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

std::span<const std::string_view> SchedEvents() { return kSchedEvents; }

std::span<const Category> AllCategories() { return kCategories; }

const Category* FindCategory(std::string_view name) {
  for (const Category& category : kCategories) {
    if (category.name == name) return &category;
  }
  return nullptr;
}

std::string_view CategoryName(fxr_category id) {
  for (const Category& category : kCategories) {
    if (category.id == id) return category.name;
  }
  return "other";
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
  std::array<PartList, 2> part_lists = {
      PartList{FXR_CATEGORY_SCHED, "sched:switch,waking", &selection.sched_events},
      PartList{FXR_CATEGORY_SYSCALL, "syscall:futex,read", &selection.syscalls}};
  PartList* parts = nullptr;  // whose further names may follow
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
      return util::Error{
          fmt::format("there is no category '{}'", item),
          fmt::format("did you mean '{}'? the categories are: {}; also: default, all",
                      util::Nearest(item, known), KnownNames())};
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
    } else {
      names.emplace_back(category.name);
    }
  }
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace capture
