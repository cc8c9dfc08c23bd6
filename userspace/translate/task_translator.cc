// SPDX-License-Identifier: BSD-2-Clause
#include "translate/task_translator.h"

#include <array>
#include <cstring>
#include <string>
#include <string_view>

#include "fxt/utf8.h"

namespace translate {
namespace {

using model::ThreadHandle;

template <size_t kBytes>
std::string_view Text(const char (&bytes)[kBytes]) {
  return {bytes, strnlen(bytes, kBytes)};
}

}  // namespace

bool TaskTranslator::Count(const fxr_side_header& header) {
  const bool recorded =
      record_events_ && header.time >= record_from_ && (header.flags & FXR_SIDE_NAMES_ONLY) == 0;
  ++stats_.events[FXR_CATEGORY_TASK];
  ++(recorded ? stats_.recorded[FXR_CATEGORY_TASK] : stats_.identity_only);
  return recorded;
}

void TaskTranslator::WriteInstant(uint64_t time, OpenRecord& record, CommonString name,
                                  std::span<const fxt::Argument> arguments) {
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_TASK),
                          .name = record.Ref(name),
                          .arguments = arguments});
}

void TaskTranslator::NameAll() {
  file_.tasks().ForEachThread([this](ThreadHandle handle) { file_.Announce(handle); });
}

void TaskTranslator::OnFork(uint64_t time, const fxr_task& task) {
  const bool recorded = Count(task.header);
  const ThreadHandle handle = tasks_.OnFork(task);
  if (!recorded) return;
  const fxt::Koid child = file_.Mention(handle).thread;
  OpenRecord record = file_.Begin(tasks_.Thread(task.creator == 0 ? task.tid : task.creator));
  const std::array arguments = {
      fxt::Argument{record.Ref(CommonString::kChild), fxt::KoidValue{child}}};
  WriteInstant(time, record, CommonString::kFork, arguments);
}

void TaskTranslator::OnExec(uint64_t time, const fxr_exec& event) {
  const bool recorded = Count(event.header);
  const ThreadHandle handle = tasks_.OnExec(event);
  if (!recorded) return;
  OpenRecord record = file_.Begin(handle);
  std::string filename = fxt::ToValidUtf8(Text(event.filename));
  const std::array arguments = {
      fxt::Argument{record.Ref(CommonString::kFilename), fxt::StringRef::Inline(filename)}};
  WriteInstant(time, record, CommonString::kExec, arguments);
}

void TaskTranslator::OnRename(uint64_t time, const fxr_rename& event) {
  const bool recorded = Count(event.header);
  const ThreadHandle handle = tasks_.OnRename(event);
  if (!recorded) return;
  OpenRecord record = file_.Begin(handle);
  std::string name = fxt::ToValidUtf8(Text(event.comm));
  const std::array arguments = {
      fxt::Argument{record.Ref(CommonString::kName), fxt::StringRef::Inline(name)}};
  WriteInstant(time, record, CommonString::kRename, arguments);
}

void TaskTranslator::OnExit(uint64_t time, const fxr_exit& event) {
  const bool recorded = Count(event.header);
  const ThreadHandle handle = tasks_.OnExit(time, event);
  if (!recorded) return;
  OpenRecord record = file_.Begin(handle);
  const std::array arguments = {fxt::Argument{record.Ref(CommonString::kCode), event.exit_code}};
  WriteInstant(time, record, CommonString::kExit, arguments);
}

void TaskTranslator::OnCgroup(const fxr_cgroup& event) {
  ++stats_.events[FXR_CATEGORY_TASK];
  ++stats_.identity_only;
  tasks_.OnCgroup(event);
}

}  // namespace translate
