// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/comparability.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "measure/missing.h"

namespace comparison {
namespace {

using measure::Capture;

// "5.10 in the base, 6.1 in the new captures"; empty when they are the same.
template <typename Field>
std::string Difference(Captures captures, size_t bases, Field field) {
  std::set<std::string> sides[2];
  for (size_t i = 0; i < captures.size(); ++i) sides[i >= bases].insert(field(*captures[i]));
  if (sides[0] == sides[1] && sides[0].size() == 1) return "";
  const auto join = [](const std::set<std::string>& values) {
    std::string text;
    for (const std::string& value : values) {
      text += (text.empty() ? "" : " and ") + (value.empty() ? "none" : value);
    }
    return text;
  };
  return fmt::format("{} in the base, {} in the new captures", join(sides[0]), join(sides[1]));
}

// Whether a list such as "sched,syscall:futex,read" or "all" has a category.
bool HasCategory(std::string_view categories, std::string_view name) {
  size_t at = 0;
  while (at <= categories.size()) {
    const size_t comma = std::min(categories.find(',', at), categories.size());
    std::string_view word = categories.substr(at, comma - at);
    word = word.substr(0, word.find(':'));
    if (word == name || word == "all") return true;
    at = comma + 1;
  }
  return false;
}

bool LostMuch(const Capture& capture) {
  uint64_t switches = 0;
  for (const measure::Group& group : capture.groups) {
    switches += group.switches_voluntary + group.switches_involuntary;
  }
  return static_cast<double>(capture.lost_events) > kLostMuch * static_cast<double>(switches);
}

util::Status RefuseMixtures(Captures captures) {
  for (const Capture* capture : captures) {
    const auto other = [&](const char* what, const char* or_not) {
      return util::Error{fmt::format("{} is {}, {} is {}: they cannot be compared", capture->file,
                                     what, captures[0]->file, or_not),
                         "give captures of one kind"};
    };
    if (capture->trigger.empty() != captures[0]->trigger.empty()) {
      const bool first = !captures[0]->trigger.empty();
      return other(first ? "a plain capture" : "one around an event",
                   first ? "one around an event" : "a plain one");
    }
    const auto of_command = [](const Capture& of) {
      return std::any_of(of.groups.begin(), of.groups.end(),
                         [](const measure::Group& group) { return group.name.of_command; });
    };
    if (of_command(*capture) != of_command(*captures[0])) {
      const bool first = of_command(*captures[0]);
      return other(first ? "of the whole machine" : "of a command",
                   first ? "of a command" : "of the whole machine");
    }
    if (capture->length() == 0 || !measure::HasSwitches(*capture)) {
      return util::Error{fmt::format("{}: there are no context switches to compare", capture->file),
                         "record with the category sched"};
    }
  }
  return util::Ok();
}

// Notes what captures do not contain, once if it is the same for all.
void NoteMissing(Captures captures, Comparability& result) {
  std::map<std::string, std::vector<const Capture*>> missing;
  for (const Capture* capture : captures) {
    for (const std::string& line : measure::WhatIsMissing(*capture)) {
      missing[line].push_back(capture);
    }
  }
  for (const auto& [line, of] : missing) {
    result.ok = false;
    if (of.size() == captures.size()) {
      result.notes.push_back(line);
      continue;
    }
    for (const Capture* capture : of) {
      result.notes.push_back(fmt::format("{}: {}", capture->file, line));
    }
  }
}

}  // namespace

util::Result<Comparability> CheckComparability(Captures captures, size_t bases) {
  if (auto status = RefuseMixtures(captures); !status) return status.TakeError();
  Comparability result;
  const auto note = [&](const char* what, const std::string& difference, const char* so) {
    if (difference.empty()) return;
    result.ok = false;
    result.notes.push_back(fmt::format("{}: {}{}", what, difference, so));
  };
  note("kernel", Difference(captures, bases, [](const Capture& c) { return c.kernel; }),
       "; a change may be the kernel's");
  note("CPUs", Difference(captures, bases, [](const Capture& c) { return std::to_string(c.cpus); }),
       "; waits and CPU time of all are not comparable");
  note("host", Difference(captures, bases, [](const Capture& c) { return c.host; }),
       "; a change may be the machine's");
  note("filters", Difference(captures, bases, [](const Capture& c) { return c.filters; }),
       "; groups that only one side recorded look new or gone");
  const std::string categories =
      Difference(captures, bases, [](const Capture& c) { return c.categories; });
  note("categories", categories, "; handlers and system calls are compared where all have them");
  for (const Capture* capture : captures) {
    if (categories.empty()) break;
    result.irq = result.irq && HasCategory(capture->categories, "irq");
    result.softirq = result.softirq && HasCategory(capture->categories, "softirq");
    result.syscall = result.syscall && HasCategory(capture->categories, "syscall");
    result.wait = result.wait && HasCategory(capture->categories, "wait");
  }
  for (const Capture* capture : captures) {
    if (capture->lost_events == 0) continue;
    // A few losses among millions are noted, and change nothing.
    result.ok = result.ok && !LostMuch(*capture);
    result.notes.push_back(fmt::format("{}: {} lost; times around them are unknown", capture->file,
                                       capture->lost_events == 1
                                           ? "1 event was"
                                           : fmt::format("{} events were", capture->lost_events)));
  }
  NoteMissing(captures, result);
  return result;
}

Pairs InterleavedPairs(Captures captures, size_t bases) {
  const size_t count = captures.size();
  if (bases * 2 != count || bases < kConfirmed) return {};
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (const measure::Capture* capture : captures) {
    if (!capture->start_time) return {};
  }
  const auto start = [&](size_t i) { return *captures[i]->start_time; };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return start(a) < start(b); });
  Pairs pairs;
  for (size_t i = 0; i + 1 < count; i += 2) {
    const size_t base = std::min(order[i], order[i + 1]);
    const size_t next = std::max(order[i], order[i + 1]);
    if (base >= bases || next < bases || start(base) == start(next)) return {};
    pairs.emplace_back(base, next - bases);
  }
  return pairs;
}

}  // namespace comparison
