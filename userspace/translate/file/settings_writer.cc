// SPDX-License-Identifier: BSD-2-Clause
#include "translate/file/settings_writer.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "fxt/utf8.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace translate {
namespace {

// A record has 15 arguments at most and 32 KB.
constexpr size_t kMostArguments = 15;
constexpr size_t kMostTextBytes = 4096;
constexpr size_t kMostRecordBytes = 16'000;
// Short values repeat: numbers, "unlimited", build ids.
constexpr size_t kMostInternedBytes = 40;

// True if the settings belong to the program with this comm. They may have been read before the
// process executed another program.
bool IsOfProgram(const schema::Settings& settings, std::string_view name) {
  // The subject may be a comm, which is truncated.
  if (!settings.subject.empty() && name.starts_with(settings.subject)) return true;
  if (settings.values.empty() || settings.values.front().first != schema::setting::kExecutable) {
    return true;
  }
  const auto* path = std::get_if<std::string>(&settings.values.front().second);
  return path != nullptr && path->substr(path->rfind('/') + 1) == name;
}

}  // namespace

model::ThreadHandle SettingsWriter::Track() {
  if (track_ == model::kNoHandle) {
    model::TaskTable& table = file_.tasks();
    track_ =
        table.PseudoThread(table.PseudoProcess(schema::kRecorderProcessKoid, schema::kRecorderName),
                           schema::SettingsKoid(), "settings");
  }
  return track_;
}

void SettingsWriter::Write(uint64_t time, const schema::Settings& settings) {
  std::optional<fxt::Koid> process;
  std::string subject = settings.subject;
  if (settings.pid != 0) {
    const model::TaskTable& table = file_.tasks();
    if (const auto handle = table.FindProcess(settings.pid); handle != model::kNoHandle) {
      process = table.process(handle).koid;
      if (IsOfProgram(settings, table.process(handle).name)) subject = table.process(handle).name;
      const model::ThreadHandle leader = table.Find(settings.pid);
      if (leader != model::kNoHandle) file_.Announce(leader);
    } else if (const auto* removed = file_.FindRemoved(settings.pid)) {
      process = removed->process_koid;
    } else {
      return;
    }
    if (process_bytes_ >= kMostProcessBytes) {
      ++omitted_;
      return;
    }
  }
  const uint64_t bytes_before = file_.bytes();
  subject = fxt::ToValidUtf8(fxt::CutUtf8(subject, kMostTextBytes));
  const size_t count = settings.values.size();
  for (size_t at = 0; at < count;) {
    OpenRecord record = file_.Begin(Track());
    std::array<fxt::Argument, kMostArguments> arguments;
    std::array<std::string, kMostArguments> texts;
    std::array<std::string, kMostArguments> names;
    size_t used = 0;
    size_t bytes = 0;
    if (!subject.empty()) {
      arguments[used++] = {record.Intern(schema::setting::kSubject),
                           fxt::StringRef::Inline(subject)};
    }
    if (process) {
      arguments[used++] = {record.Ref(CommonString::kProcess), fxt::KoidValue{*process}};
    }
    for (; at < count && used < kMostArguments && bytes < kMostRecordBytes; ++at, ++used) {
      const auto& [name, value] = settings.values[at];
      names[used] = fxt::ToValidUtf8(name);
      const fxt::StringRef key = record.Intern(names[used]);
      if (const auto* number = std::get_if<int64_t>(&value)) {
        arguments[used] = {key, *number};
        continue;
      }
      texts[used] = fxt::ToValidUtf8(fxt::CutUtf8(std::get<std::string>(value), kMostTextBytes));
      bytes += names[used].size() + texts[used].size();
      const bool repeats = texts[used].size() <= kMostInternedBytes;
      arguments[used] = {
          key, repeats ? record.Intern(texts[used]) : fxt::StringRef::Inline(texts[used])};
    }
    record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                            .timestamp = time,
                            .thread = record.thread(),
                            .category = record.Ref(FXR_CATEGORY_SETTINGS),
                            .name = record.Intern(schema::NameOf(settings.scope)),
                            .arguments = {arguments.data(), used}});
  }
  if (settings.pid != 0) process_bytes_ += file_.bytes() - bytes_before;
}

}  // namespace translate
