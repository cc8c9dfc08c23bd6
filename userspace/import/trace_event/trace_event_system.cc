// SPDX-License-Identifier: BSD-2-Clause
// The kernel's side of a JSON file: systemTraceEvents, as text of ftrace or as Fuchsia's trace2json
// and `fxt json` write them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>

#include "import/trace_event/event_phase.h"
#include "import/trace_event/ftrace_line.h"
#include "import/trace_event/trace_event_importer.h"
#include "schema/trace_event_fields.h"

namespace importer {
namespace {

constexpr uint32_t kMaxCpu = UINT16_MAX;

int64_t IntegerIn(const std::vector<JsonMember>& members, std::string_view name, int64_t other) {
  for (const JsonMember& member : members) {
    const auto* number = std::get_if<int64_t>(&member.value);
    if (member.name == name && number != nullptr) return *number;
  }
  return other;
}

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

bool TraceEventImporter::StoreSwitch(int64_t time, uint32_t cpu, const Side& out, const Side& in,
                                     uint8_t state) {
  if (cpu > kMaxCpu) {
    ++stats_.refused;
    return true;
  }
  ++stats_.switches;
  stored_ = {};
  json_names_.clear();
  stored_.cpu = static_cast<uint16_t>(cpu);
  stored_.thread = out.thread;
  stored_.second_thread = in.thread;
  const auto byte = [](int priority) {
    return static_cast<uint64_t>(std::clamp(priority, 0, 255));
  };
  stored_.payload = byte(out.priority) | byte(in.priority) << 8 | uint64_t{state} << 16;
  return Store(StoredKind::kSwitch, time);
}

bool TraceEventImporter::StoreWakeup(int64_t time, uint32_t cpu, uint32_t thread, uint32_t waker) {
  if (cpu > kMaxCpu) {
    ++stats_.refused;
    return true;
  }
  ++stats_.wakeups;
  stored_ = {};
  json_names_.clear();
  stored_.cpu = static_cast<uint16_t>(cpu);
  stored_.thread = thread;
  stored_.second_thread = waker;
  return Store(StoredKind::kWakeup, time);
}

bool TraceEventImporter::OnMark(const FtraceLine& line, int64_t time) {
  const auto mark = FtraceMark::Parse(line.rest);
  if (!mark) {
    CountName(stats_.system_events, line.event);
    return true;
  }
  const StoredKind kind = EventPhaseOf(mark->phase).value_or(EventPhase{}).kind;
  made_.clear();
  json_names_.clear();
  stored_ = {};
  const int64_t pid = mark->pid.value_or(line.tgid.value_or(line.tid));
  stored_.thread = tasks_.ThreadOf(pid, line.tid);
  tasks_.NameThread(stored_.thread, line.task);
  stored_.category = Text("tracing_mark");
  stored_.name = Text(mark->name);
  if (kind == StoredKind::kCounter) {
    const auto number = WholeNumber(mark->value);
    AddArgument("value", number ? JsonValue(*number) : JsonValue(mark->value));
  } else if (!mark->value.empty()) {
    // A cookie is that of a name and a process.
    const std::string& key =
        made_.emplace_back(fmt::format("{}\n{}\n{}", pid, mark->name, mark->value));
    stored_.payload = std::hash<std::string_view>{}(key);
    AddField(schema::field::kLocalId, mark->value);
  }
  ++stats_.marks;
  return Store(kind, time);
}

bool TraceEventImporter::OnSystemLine(std::string_view text) {
  // A page has scripts of its own in front of the text.
  if (text.starts_with("#")) in_ftrace_ = true;
  if (text.starts_with("</script>")) in_ftrace_ = false;
  const auto line = FtraceLine::Parse(text);
  if (!line) {
    if (in_ftrace_ && !text.empty() && !text.starts_with("#")) {
      CountName(stats_.system_events, "lines that cannot be read");
    }
    return true;
  }
  const int64_t time = line->time + system_offset_;
  if (line->event == "sched_switch") {
    if (const auto parsed = FtraceSwitch::Parse(line->rest)) {
      const auto side = [&](int64_t tid, std::string_view comm, int priority) {
        if (tid == 0) return Side{};
        const bool is_task = tid == line->tid;
        return Side{tasks_.ThreadOfKernel(tid, is_task ? line->tgid : std::nullopt, comm),
                    priority};
      };
      return StoreSwitch(time, line->cpu,
                         side(parsed->prev_tid, parsed->prev_comm, parsed->prev_priority),
                         side(parsed->next_tid, parsed->next_comm, parsed->next_priority),
                         static_cast<uint8_t>(parsed->prev_state));
    }
  } else if (line->event == "sched_waking" || (line->event == "sched_wakeup" && !seen_waking_)) {
    if (const auto parsed = FtraceWakeup::Parse(line->rest); parsed && parsed->tid != 0) {
      seen_waking_ = seen_waking_ || line->event == "sched_waking";
      const uint32_t waker = line->tid == 0
                                 ? JsonTasks::kNone
                                 : tasks_.ThreadOfKernel(line->tid, line->tgid, line->task);
      return StoreWakeup(time, parsed->target_cpu,
                         tasks_.ThreadOfKernel(parsed->tid, {}, parsed->comm), waker);
    }
  } else if (line->event == "tracing_mark_write" || line->event == "print") {
    if (const auto parent = ParentTimeOf(line->rest)) {
      system_offset_ = *parent - line->time;
      return true;
    }
    return OnMark(*line, time);
  }
  CountName(stats_.system_events, line->event);
  return true;
}

TraceEventImporter::Side TraceEventImporter::TakeSide(const TraceEvent& event,
                                                      std::string_view which, uint8_t* state) {
  for (const JsonMember& member : event.extra) {
    const auto* json = std::get_if<JsonText>(&member.value);
    if (member.name != which || json == nullptr) continue;
    const std::string text(json->text);
    if (side_parser_.Parse(text).verdict != EventParser::Verdict::kEvent) break;
    const TraceEvent& side = side_parser_.event();
    if (state != nullptr) {
      *state = static_cast<uint8_t>(std::clamp<int64_t>(IntegerIn(side.extra, "state", 0), 0, 5));
    }
    const auto priority =
        static_cast<int>(std::clamp<int64_t>(IntegerIn(side.extra, "prio", 0), 0, 255));
    const auto* pid = std::get_if<int64_t>(&side.pid);
    const auto* tid = std::get_if<int64_t>(&side.tid);
    if (tid == nullptr || (pid != nullptr && *pid == 0 && priority == 0)) return {};
    if (pid == nullptr) return {tasks_.ThreadOfKernel(*tid, {}, {}), priority};
    return {tasks_.ThreadOf(side.pid, side.tid), priority};
  }
  return {};
}

bool TraceEventImporter::OnSystemEvent(const TraceEvent& event) {
  switch (event.phase) {
    case 'p':
      tasks_.NameProcess(tasks_.ProcessOf(event.pid), event.name);
      return true;
    case 't':
      tasks_.NameThread(tasks_.ThreadOf(event.pid, event.tid), event.name);
      return true;
    case 'k':
    case 'w':
      break;
    default:
      ++stats_.unknown_phases;
      return true;
  }
  if (!event.time) {
    ++stats_.without_time;
    return true;
  }
  const int64_t cpu = IntegerIn(event.extra, "cpu", -1);
  const auto number = static_cast<uint32_t>(cpu < 0 || cpu > UINT16_MAX ? UINT32_MAX : cpu);
  if (event.phase == 'k') {
    uint8_t state = 0;
    const Side out = TakeSide(event, "out", &state);
    const Side in = TakeSide(event, "in", nullptr);
    if (state == static_cast<uint8_t>(fxt::ThreadState::kRunning)) state = 0;
    return StoreSwitch(*event.time, number, out, in, state);
  }
  const auto* tid = std::get_if<int64_t>(&event.tid);
  if (tid == nullptr) return true;
  const int64_t waker = IntegerIn(event.extra, "waker", 0);
  return StoreWakeup(*event.time, number, tasks_.ThreadOfKernel(*tid, {}, {}),
                     waker == 0 ? JsonTasks::kNone : tasks_.ThreadOfKernel(waker, {}, {}));
}

}  // namespace importer
