// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/ftrace_line.h"

#include <charconv>

#include "import/json/decimal_time.h"

namespace importer {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

template <typename T>
std::optional<T> NumberIn(std::string_view text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The value between `key` and `until`. Task names may contain spaces and equals signs.
std::optional<std::string_view> Between(std::string_view text, std::string_view key,
                                        std::string_view until) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  const size_t end = until.empty() ? std::string_view::npos : text.find(until);
  if (!until.empty() && end == std::string_view::npos) return std::nullopt;
  return Trim(text.substr(0, end));
}

template <typename T>
bool Take(std::string_view text, std::string_view key, std::string_view until, T& value) {
  const auto field = Between(text, key, until);
  const auto number = field ? NumberIn<T>(*field) : std::nullopt;
  if (number) value = *number;
  return number.has_value();
}

// Maps the state letters of the kernel's tracers. Only the first letter matters; a suffix ("+",
// "|W") qualifies it.
fxt::ThreadState StateOf(std::string_view letters) {
  switch (letters.empty() ? 'R' : letters.front()) {
    case 'R':
      return fxt::ThreadState::kNew;
    case 'T':
    case 't':
      return fxt::ThreadState::kSuspended;
    case 'Z':
      return fxt::ThreadState::kDying;
    case 'X':
    case 'x':
      return fxt::ThreadState::kDead;
    default:
      return fxt::ThreadState::kBlocked;
  }
}

}  // namespace

std::optional<FtraceLine> FtraceLine::Parse(std::string_view line) {
  line = Trim(line);
  if (line.empty() || line.front() == '#') return std::nullopt;
  FtraceLine parsed;
  // Finds the CPU in brackets; task names may contain brackets too.
  size_t cpu = std::string_view::npos;
  for (size_t at = line.find(" ["); at != std::string_view::npos; at = line.find(" [", at + 1)) {
    const size_t end = line.find(']', at);
    if (end == std::string_view::npos) break;
    const auto number = NumberIn<uint32_t>(line.substr(at + 2, end - at - 2));
    if (!number) continue;
    parsed.cpu = *number;
    cpu = at;
    break;
  }
  if (cpu == std::string_view::npos) return std::nullopt;
  std::string_view task = Trim(line.substr(0, cpu));
  if (!task.empty() && task.back() == ')') {
    const size_t open = task.rfind('(');
    if (open == std::string_view::npos) return std::nullopt;
    parsed.tgid = NumberIn<int64_t>(Trim(task.substr(open + 1, task.size() - open - 2)));
    task = Trim(task.substr(0, open));
  }
  const size_t dash = task.rfind('-');
  const auto tid =
      dash == std::string_view::npos ? std::nullopt : NumberIn<int64_t>(task.substr(dash + 1));
  if (!tid || *tid < 0) return std::nullopt;
  parsed.tid = *tid;
  parsed.task = task.substr(0, dash);
  // "d..2. 12.345678: event: rest"
  std::string_view rest = line.substr(line.find(']', cpu) + 1);
  const size_t colon = rest.find(": ");
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view time = Trim(rest.substr(0, colon));
  const size_t space = time.rfind(' ');
  if (space != std::string_view::npos) time.remove_prefix(space + 1);
  const auto ns = NanosecondsOfSeconds(time);
  if (!ns) return std::nullopt;
  parsed.time = *ns;
  rest.remove_prefix(colon + 2);
  const size_t end = rest.find(':');
  if (end == std::string_view::npos) return std::nullopt;
  parsed.event = Trim(rest.substr(0, end));
  parsed.rest = Trim(rest.substr(end + 1));
  return parsed;
}

std::optional<FtraceSwitch> FtraceSwitch::Parse(std::string_view rest) {
  FtraceSwitch parsed;
  const size_t arrow = rest.find(" ==> ");
  if (arrow == std::string_view::npos) return std::nullopt;
  const std::string_view prev = rest.substr(0, arrow);
  const std::string_view next = rest.substr(arrow + 5);
  const auto prev_comm = Between(prev, "prev_comm=", " prev_pid=");
  const auto next_comm = Between(next, "next_comm=", " next_pid=");
  const auto state = Between(prev, " prev_state=", "");
  if (!prev_comm || !next_comm || !state || !Take(prev, " prev_pid=", " ", parsed.prev_tid) ||
      !Take(prev, " prev_prio=", " ", parsed.prev_priority) ||
      !Take(next, " next_pid=", " ", parsed.next_tid) ||
      !Take(next, " next_prio=", "", parsed.next_priority) || parsed.prev_tid < 0 ||
      parsed.next_tid < 0) {
    return std::nullopt;
  }
  parsed.prev_comm = *prev_comm;
  parsed.next_comm = *next_comm;
  parsed.prev_state = StateOf(*state);
  return parsed;
}

std::optional<FtraceWakeup> FtraceWakeup::Parse(std::string_view rest) {
  FtraceWakeup parsed;
  const auto comm = Between(rest, "comm=", " pid=");
  if (!comm || !Take(rest, " pid=", " ", parsed.tid) || parsed.tid < 0 ||
      !Take(rest, " target_cpu=", "", parsed.target_cpu)) {
    return std::nullopt;
  }
  parsed.comm = *comm;
  // Older kernels print "success=1" between the two.
  if (!Take(rest, " prio=", " ", parsed.priority)) return std::nullopt;
  return parsed;
}

std::optional<FtraceMark> FtraceMark::Parse(std::string_view rest) {
  constexpr std::string_view kPhases = "BEICSF";
  FtraceMark parsed;
  if (rest.empty() || kPhases.find(rest.front()) == std::string_view::npos) return std::nullopt;
  parsed.phase = rest.front();
  rest.remove_prefix(1);
  // An end may consist of the letter only.
  if (rest.empty()) return parsed.phase == 'E' ? std::optional(parsed) : std::nullopt;
  if (rest.front() != '|') return std::nullopt;
  rest.remove_prefix(1);
  const size_t bar = rest.find('|');
  parsed.pid = NumberIn<int64_t>(Trim(rest.substr(0, bar)));
  if (!parsed.pid) return std::nullopt;
  if (bar == std::string_view::npos) {
    return parsed.phase == 'E' ? std::optional(parsed) : std::nullopt;
  }
  parsed.name = rest.substr(bar + 1);
  if (parsed.phase == 'C' || parsed.phase == 'S' || parsed.phase == 'F') {
    const size_t last = parsed.name.rfind('|');
    if (last == std::string_view::npos) return std::nullopt;
    parsed.value = Trim(parsed.name.substr(last + 1));
    parsed.name = parsed.name.substr(0, last);
  }
  return parsed;
}

std::optional<int64_t> ParentTimeOf(std::string_view rest) {
  constexpr std::string_view kMark = "trace_event_clock_sync: parent_ts=";
  const size_t at = rest.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  return NanosecondsOfSeconds(Trim(rest.substr(at + kMark.size())));
}

}  // namespace importer
