// SPDX-License-Identifier: BSD-2-Clause
#include "translate/file/session_info.h"

#include <array>
#include <string_view>
#include <utility>

#include "fxt/utf8.h"
#include "schema/names.h"
#include "util/clock.h"

namespace translate {

void TakeClocks(SessionInfo& info) {
  const util::ClockOffsets clocks = util::MeasureClockOffsets();
  info.realtime_ahead = clocks.realtime;
  info.monotonic_ahead = clocks.monotonic;
}

void WriteSession(TraceWriter& file, model::ThreadHandle track, uint64_t time,
                  const SessionInfo& info) {
  // Truncated so that all fields fit one record.
  constexpr size_t kMaxTextBytes = 2000;
  const std::array<std::pair<std::string_view, const std::string*>, 10> texts = {{
      {"version", &info.version},
      {"kernel", &info.kernel},
      {"machine", &info.machine},
      {"cpu_model", &info.cpu_model},
      {"host", &info.host},
      {"command", &info.command},
      {"categories", &info.categories},
      {schema::argument::kFilters, &info.filters},
      {"interrupt_wakers", &info.interrupt_wakers},
      {"start_time", &info.start_time},
  }};
  OpenRecord record = file.Begin(track);
  std::array<std::string, texts.size()> valid;
  std::array<fxt::Argument, texts.size() + 5> arguments;
  size_t count = 0;
  for (const auto& [name, text] : texts) {
    arguments[count] = {record.Intern(name), fxt::InlineUtf8(*text, valid[count], kMaxTextBytes)};
    ++count;
  }
  arguments[count++] = {record.Intern("cpus"), static_cast<int32_t>(info.cpus)};
  arguments[count++] = {record.Intern(schema::argument::kRingBytes), info.ring_bytes};
  if (info.command_pid != 0) {
    arguments[count++] = {record.Intern(schema::argument::kCommandPid), uint64_t{info.command_pid}};
  }
  if (info.realtime_ahead) {
    arguments[count++] = {record.Intern(schema::argument::kRealtimeAhead), *info.realtime_ahead};
  }
  if (info.monotonic_ahead) {
    arguments[count++] = {record.Intern(schema::argument::kMonotonicAhead), *info.monotonic_ahead};
  }
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(CommonString::kCategoryRecorder),
                          .name = record.Intern(schema::event::kSession),
                          .arguments = {arguments.data(), count}});
}

}  // namespace translate
