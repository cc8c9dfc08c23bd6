// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/text_trace.h"

#include <charconv>
#include <regex>

namespace truth {
namespace {

// A comm may hold anything but a newline here, so the fixed words around it are what counts.
constexpr char kLine[] =
    "^.*-[0-9]+ +\\[([0-9]+)\\] [^ ]+ +([0-9]+)\\.([0-9]{6}): sched_switch: "
    "prev_comm=(.*) prev_pid=(-?[0-9]+) prev_prio=(-?[0-9]+) prev_state=(\\S+) ==> "
    "next_comm=(.*) next_pid=(-?[0-9]+) next_prio=(-?[0-9]+)$";

template <typename T>
T Number(std::string_view text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::vector<TextSwitch> ParseTextTrace(std::string_view text, size_t* unreadable) {
  const std::regex line_regex(kLine, std::regex::optimize);
  std::vector<TextSwitch> switches;
  *unreadable = 0;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    text = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
    if (line.find(": sched_switch: ") == std::string_view::npos) continue;
    std::match_results<std::string_view::const_iterator> match;
    if (!std::regex_match(line.begin(), line.end(), match, line_regex)) {
      ++*unreadable;
      continue;
    }
    const auto group = [&](int n) { return std::string_view(match[n].first, match[n].second); };
    TextSwitch s;
    s.cpu = Number<uint32_t>(group(1));
    s.time_us = Number<uint64_t>(group(2)) * 1'000'000 + Number<uint64_t>(group(3));
    s.prev_comm = group(4);
    s.prev_tid = Number<int32_t>(group(5));
    s.prev_priority = Number<int32_t>(group(6));
    s.prev_state = group(7);
    s.next_comm = group(8);
    s.next_tid = Number<int32_t>(group(9));
    s.next_priority = Number<int32_t>(group(10));
    switches.push_back(std::move(s));
  }
  return switches;
}

}  // namespace truth
