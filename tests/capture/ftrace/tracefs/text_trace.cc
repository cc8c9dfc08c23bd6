// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/tracefs/text_trace.h"

#include <regex.h>

#include <array>
#include <charconv>
#include <stdexcept>

namespace truth {
namespace {

// A comm may have any byte but a newline, so the parser relies on the fixed words around it.
constexpr char kLine[] =
    "^.*-[0-9]+ +\\[([0-9]+)\\] [^ ]+ +([0-9]+)\\.([0-9]{6}): sched_switch: "
    "prev_comm=(.*) prev_pid=(-?[0-9]+) prev_prio=(-?[0-9]+) prev_state=([^ ]+) ==> "
    "next_comm=(.*) next_pid=(-?[0-9]+) next_prio=(-?[0-9]+)$";

constexpr size_t kGroups = 11;  // the whole line and the groups

// Not std::regex: sanitizer builds of g++ 12 warn of what its templates leave uninitialized.
class LineExpression {
 public:
  LineExpression() {
    if (regcomp(&compiled_, kLine, REG_EXTENDED) != 0) throw std::logic_error("regcomp");
  }
  ~LineExpression() { regfree(&compiled_); }
  LineExpression(const LineExpression&) = delete;
  LineExpression& operator=(const LineExpression&) = delete;

  bool Match(const std::string& line, std::array<regmatch_t, kGroups>* groups) const {
    return regexec(&compiled_, line.c_str(), groups->size(), groups->data(), 0) == 0;
  }

 private:
  regex_t compiled_;
};

template <typename T>
T Number(std::string_view text) {
  T value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::vector<TextSwitch> ParseTextTrace(std::string_view text, size_t* unreadable) {
  const LineExpression expression;
  std::vector<TextSwitch> switches;
  *unreadable = 0;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const std::string line(text.substr(0, newline));
    text = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
    if (line.find(": sched_switch: ") == std::string_view::npos) continue;
    std::array<regmatch_t, kGroups> match;
    if (!expression.Match(line, &match)) {
      ++*unreadable;
      continue;
    }
    const auto group = [&](size_t n) {
      const auto begin = static_cast<size_t>(match[n].rm_so);
      return std::string_view(line).substr(begin, static_cast<size_t>(match[n].rm_eo) - begin);
    };
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
