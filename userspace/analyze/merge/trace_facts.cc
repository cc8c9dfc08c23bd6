// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/merge/trace_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "facts/read_loop.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "fxt/reader.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace analyze {
namespace {

constexpr size_t kMaxMarks = 10'000;

void NoteThread(fxt::Koid process, fxt::Koid thread, TraceFacts& facts) {
  if (facts.threads.size() + facts.processes.size() >= TraceFacts::kMaxTasks) return;
  facts.threads.try_emplace(thread, process);
  facts.processes.insert(process);
}

std::optional<double> NumberOf(const fxt::Argument* argument) {
  if (const auto integer = facts::IntegerValue(argument)) return static_cast<double>(*integer);
  if (argument == nullptr) return std::nullopt;
  const auto* number = std::get_if<double>(&argument->value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

void NoteMark(const fxt::Event& event, int64_t time, TraceFacts& facts) {
  const fxt::Argument* id = facts::FindArgument(event.arguments, "sync_id");
  if (id == nullptr || facts.marks.size() >= kMaxMarks) return;
  std::string text(facts::TextOf(id).value_or(""));
  if (const auto number = facts::IntegerValue(id)) text = fmt::format("{}", *number);
  if (text.empty()) return;
  TraceFacts::Mark mark{time, 0};
  // The time of the issuer lies between the two times, unless the clocks differ, as in a file whose
  // times were moved.
  constexpr int64_t kLongest = 10'000'000'000;
  const auto issued = NumberOf(facts::FindArgument(event.arguments, "issue_ts"));
  if (issued && std::abs(*issued) < 1e15) {
    const auto took = std::max<int64_t>(time - std::llround(*issued * 1000), 0);
    if (took <= kLongest) mark = {time - took / 2, took / 2};
  }
  facts.marks.try_emplace(text, mark);
}

void NoteEvent(const fxt::Event& event, int64_t time, TraceFacts& facts) {
  const auto integer = [&](std::string_view name) {
    return facts::IntegerValue(facts::FindArgument(event.arguments, name));
  };
  const auto text = [&](std::string_view name) {
    return facts::TextOf(facts::FindArgument(event.arguments, name));
  };
  if (event.name.text == "clock_sync") NoteMark(event, time, facts);
  if (event.category.text != schema::kRecorderName) return;
  if (facts::IsSession(event)) {
    facts.host = std::string(text("host").value_or(""));
    if (facts.clock == TraceClock::kUnknown) facts.clock = TraceClock::kBoottime;
    facts.realtime_ahead = integer(schema::argument::kRealtimeAhead);
    facts.monotonic_ahead = integer(schema::argument::kMonotonicAhead);
  } else if (event.name.text == schema::kImport) {
    // perf.data names its clock. JSON does not, unless it states the wall clock of its zero.
    const auto clock = ClockNamed(text("clock").value_or(""));
    facts.clock = clock.value_or(TraceClock::kUnknown);
    facts.moved = integer("moved_ns").value_or(0);
    const auto begin = text("beginningOfTime");
    int64_t us = 0;
    if (begin &&
        std::from_chars(begin->data(), begin->data() + begin->size(), us).ec == std::errc() &&
        us > 0 && us < INT64_MAX / 1000) {
      facts.zero_realtime = us * 1000 - facts.moved;
    }
  }
}

}  // namespace

std::optional<TraceClock> ClockNamed(std::string_view name) {
  for (const TraceClock clock :
       {TraceClock::kBoottime, TraceClock::kMonotonic, TraceClock::kRealtime}) {
    std::string kernel = fmt::format("CLOCK_{}", NameOf(clock));
    std::transform(kernel.begin(), kernel.end(), kernel.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (name == NameOf(clock) || name == kernel) return clock;
  }
  return std::nullopt;
}

std::string_view NameOf(TraceClock clock) {
  switch (clock) {
    case TraceClock::kBoottime:
      return "boottime";
    case TraceClock::kMonotonic:
      return "monotonic";
    case TraceClock::kRealtime:
      return "realtime";
    default:
      return "unknown";
  }
}

TraceFacts ReadFacts(fxt::ByteSource& source) {
  TraceFacts facts;
  fxt::Reader reader(source);
  while (facts::NextRecord(reader) == fxt::ReadStatus::kRecord) {
    const fxt::Record& record = reader.record();
    if (const auto time = facts::TimeOf(record, reader.provider())) {
      facts.first = std::min(facts.first.value_or(*time), *time);
      facts.last = std::max(facts.last, *time);
      if (const auto* event = std::get_if<fxt::Event>(&record)) {
        NoteEvent(*event, static_cast<int64_t>(*time), facts);
      }
    }
    if (const auto change = facts::AsSwitch(record, reader.provider())) {
      facts.has_switches = true;
      facts.cpus = std::max(facts.cpus, change->cpu + 1);
      for (const auto* side : {&change->outgoing, &change->incoming}) {
        if (side->process && !side->idle) NoteThread(*side->process, side->thread, facts);
      }
    } else if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
      const auto process =
          facts::KoidOf(facts::FindArgument(object->arguments, schema::argument::kProcess));
      if (object->type == static_cast<uint8_t>(fxt::KernelObjectType::kThread) && process) {
        NoteThread(*process, object->koid, facts);
      }
    } else if (const fxt::ThreadRef* thread = facts::ThreadOf(record)) {
      NoteThread(thread->process, thread->thread, facts);
    }
  }
  facts.truncated = reader.truncated();
  if (reader.error() != fxt::ReadError::kNone) facts.unreadable = reader.error_message();
  return facts;
}

}  // namespace analyze
