// SPDX-License-Identifier: BSD-2-Clause
// Kernel objects of imported events, and where the file comes from.
#include <fmt/format.h>

#include <array>
#include <string>

#include "fxt/utf8.h"
#include "import/trace_event/record_writer.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/trace_event_fields.h"
#include "text/json_document.h"

namespace importer {
namespace {

constexpr size_t kPropertyBytes = 24'000;

}  // namespace

void RecordWriter::WriteHead(const std::map<std::string, std::string>& properties) {
  const fxt::KoidValue process{schema::kRecorderProcessKoid};
  fxt::RecordScope scope = provider_.Begin({OwnHandle(), process.koid, schema::RecorderKoid()});
  const fxt::Argument of_process{fxt::StringRef::Inline(schema::argument::kProcess), process};
  Note(scope.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                     process.koid,
                                     fxt::StringRef::Inline(schema::kImporterName),
                                     {}}));
  Note(scope.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                     schema::RecorderKoid(),
                                     fxt::StringRef::Inline(schema::kImporterName),
                                     {&of_process, 1}}));
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  size_t count = 0;
  arguments[count++] = {fxt::StringRef::Inline("format"),
                        fxt::StringRef::Inline(schema::kTraceEventProvider)};
  if (moved_ != 0) arguments[count++] = {fxt::StringRef::Inline("moved_ns"), moved_};
  for (const auto& [name, text] : properties) {
    if (count == arguments.size()) break;
    std::string_view value = text;
    // A string of plain characters goes without its quotes, unless it would be something else then.
    if (value.size() >= 2 && value.front() == '"' && value.find('\\') == std::string_view::npos &&
        !text::IsJson(value.substr(1, value.size() - 2))) {
      value = value.substr(1, value.size() - 2);
    }
    arguments[count] = {fxt::InlineUtf8(name, scratch_[2 * count], kShortTextBytes),
                        fxt::InlineUtf8(value, scratch_[2 * count + 1], kPropertyBytes)};
    ++count;
  }
  Note(scope.Write(fxt::Event{.type = fxt::EventType::kInstant,
                              .timestamp = static_cast<uint64_t>(start_ + moved_),
                              .thread = scope.thread(),
                              .category = fxt::StringRef::Inline(schema::kRecorderName),
                              .name = fxt::StringRef::Inline(schema::kImport),
                              .arguments = {arguments.data(), count}}));
}

void RecordWriter::TellProcess(uint32_t number) {
  if (told_processes_[number]) return;
  told_processes_[number] = true;
  const JsonTasks::Process& process = tasks_.process(number);
  std::array<fxt::Argument, 3> arguments;
  size_t count = 0;
  if (!process.text.empty()) {
    arguments[count++] = {fxt::StringRef::Inline(schema::argument::kPid),
                          fxt::StringRef::Inline(process.text)};
  } else if (static_cast<int64_t>(process.koid) != process.pid) {
    arguments[count++] = {fxt::StringRef::Inline(schema::argument::kPid), process.pid};
  }
  if (!process.labels.empty()) {
    arguments[count++] = {fxt::StringRef::Inline("labels"), fxt::StringRef::Inline(process.labels)};
  }
  if (process.sort_index) {
    arguments[count++] = {fxt::StringRef::Inline("sort_index"), *process.sort_index};
  }
  const std::string& name = process.name.empty() ? process.text : process.name;
  Note(provider_.Begin().Write(
      fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                        process.koid,
                        fxt::StringRef::Inline(name),
                        {arguments.data(), count}}));
}

void RecordWriter::TellThread(uint32_t number) {
  if (told_threads_[number]) return;
  told_threads_[number] = true;
  const JsonTasks::Thread& thread = tasks_.thread(number);
  TellProcess(thread.process);
  std::array<fxt::Argument, 3> arguments;
  size_t count = 0;
  arguments[count++] = {fxt::StringRef::Inline(schema::argument::kProcess),
                        fxt::KoidValue{tasks_.process(thread.process).koid}};
  if (!thread.text.empty()) {
    arguments[count++] = {fxt::StringRef::Inline(schema::argument::kTid),
                          fxt::StringRef::Inline(thread.text)};
  } else if (static_cast<int64_t>(thread.koid) != thread.tid) {
    arguments[count++] = {fxt::StringRef::Inline(schema::argument::kTid), thread.tid};
  }
  if (thread.sort_index) {
    arguments[count++] = {fxt::StringRef::Inline("sort_index"), *thread.sort_index};
  }
  const std::string& name = thread.name.empty() ? thread.text : thread.name;
  Note(provider_.Begin().Write(
      fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                        thread.koid,
                        fxt::StringRef::Inline(name),
                        {arguments.data(), count}}));
}

void RecordWriter::TellOthers() {
  // The first of both is "(others)".
  for (uint32_t number = 1; number < tasks_.processes().size(); ++number) {
    const JsonTasks::Process& process = tasks_.process(number);
    if (process.pid == 0) continue;  // idle
    if (!process.name.empty() || !process.labels.empty() || process.sort_index) {
      TellProcess(number);
    }
  }
  for (uint32_t number = 1; number < tasks_.threads().size(); ++number) {
    const JsonTasks::Thread& thread = tasks_.thread(number);
    const bool idle = thread.process != JsonTasks::kNone && tasks_.process(thread.process).pid == 0;
    if (!idle && (!thread.name.empty() || thread.sort_index)) TellThread(tasks_.Resolve(number));
  }
}

fxt::ThreadKey RecordWriter::KeyOf(uint32_t thread) {
  thread = tasks_.Resolve(thread);
  TellThread(thread);
  const JsonTasks::Thread& known = tasks_.thread(thread);
  return {thread, tasks_.process(known.process).koid, known.koid};
}

fxt::ThreadKey RecordWriter::IdleOf(uint16_t cpu) {
  const fxt::Koid koid = schema::IdleKoid(cpu);
  if (told_idle_.size() <= cpu) told_idle_.resize(cpu + size_t{1});
  if (!told_idle_[cpu]) {
    told_idle_[cpu] = true;
    const fxt::Argument process{fxt::StringRef::Inline(schema::argument::kProcess),
                                fxt::KoidValue{schema::kIdleProcessKoid}};
    const std::string name = fmt::format("swapper/{}", cpu);
    fxt::RecordScope scope = provider_.Begin();
    Note(scope.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                       schema::kIdleProcessKoid,
                                       fxt::StringRef::Inline("swapper"),
                                       {}}));
    Note(scope.Write(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                       koid,
                                       fxt::StringRef::Inline(name),
                                       {&process, 1}}));
  }
  return {OwnHandle() + 1 + cpu, schema::kIdleProcessKoid, koid};
}

}  // namespace importer
