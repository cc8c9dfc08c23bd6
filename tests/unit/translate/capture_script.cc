// SPDX-License-Identifier: BSD-2-Clause
#include "unit/translate/capture_script.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "fxt/byte_source.h"
#include "fxt/reader.h"

namespace translate::testing {
namespace {

using fxt::Koid;

template <size_t kBytes>
void Copy(std::string_view text, char (&bytes)[kBytes]) {
  std::memcpy(bytes, text.data(), std::min(text.size(), kBytes));
}

template <typename Event>
Event SideEvent(uint64_t time, fxr_side_type type) {
  Event event{};
  event.header = {
      .time = time, .type = static_cast<fxr_u8>(type), .flags = 0, .cpu = 0, .size = sizeof(Event)};
  return event;
}

const char* StateText(fxt::ThreadState state) {
  constexpr const char* kTexts[] = {"new", "running", "suspended", "blocked", "dying", "dead"};
  return kTexts[static_cast<size_t>(state)];
}

struct ValueText {
  std::string operator()(fxt::NullValue) const { return "null"; }
  std::string operator()(int32_t value) const { return fmt::format("{}", value); }
  std::string operator()(uint32_t value) const { return fmt::format("{}", value); }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(uint64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const fxt::StringRef& value) const { return std::string(value.text); }
  std::string operator()(fxt::KoidValue value) const { return fmt::format("koid {}", value.koid); }
  std::string operator()(fxt::PointerValue value) const {
    return fmt::format("{:#x}", value.address);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "?";
  }
};

// Formats one record. Names of threads by koid come from earlier kernel objects.
class LineWriter {
 public:
  std::string operator()(const fxt::KernelObject& object) {
    const bool is_process = object.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess);
    if (!is_process) names_[object.koid] = object.name.text;
    return fmt::format("object {} {} {}{}", is_process ? "process" : "thread", object.koid,
                       object.name.text, Arguments(object.arguments));
  }
  std::string operator()(const fxt::LegacyContextSwitch& s) const {
    return fmt::format("{} switch cpu{} {} {} -> {} {} {}", s.timestamp, s.cpu,
                       Name(s.outgoing.thread), StateText(s.outgoing_state),
                       Name(s.incoming.thread), s.outgoing_priority, s.incoming_priority);
  }
  std::string operator()(const fxt::ContextSwitch& s) const {
    return fmt::format("{} switch cpu{} {} {} -> {}", s.timestamp, s.cpu, Name(s.outgoing_thread),
                       StateText(s.outgoing_state), Name(s.incoming_thread));
  }
  std::string operator()(const fxt::ThreadWakeup& w) const {
    return fmt::format("{} wakeup cpu{} {}{}", w.timestamp, w.cpu, Name(w.thread),
                       Arguments(w.arguments));
  }
  std::string operator()(const fxt::Event& event) const {
    constexpr const char* kTypes[] = {"instant", "counter", "begin", "end"};
    const auto type = static_cast<size_t>(event.type);
    return fmt::format("{} {} {} {}:{}{}", event.timestamp, type < 4 ? kTypes[type] : "event",
                       Name(event.thread.thread), event.category.text, event.name.text,
                       Arguments(event.arguments));
  }
  std::string operator()(const fxt::Log& log) const {
    return fmt::format("{} log {} {}", log.timestamp, Name(log.thread.thread), log.message);
  }
  std::string operator()(const fxt::ProfilerMmap& mapping) const {
    return fmt::format("{} mmap {} of {} at {:#x}", mapping.timestamp, Name(mapping.thread.thread),
                       mapping.thread.process, mapping.start);
  }
  std::string operator()(const fxt::ProviderEvent& event) const {
    return fmt::format("provider event {}", event.event);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "";
  }

 private:
  std::string Name(Koid koid) const {
    const auto found = names_.find(koid);
    return fmt::format("{}/{}", found == names_.end() ? "?" : found->second, koid);
  }
  static std::string Arguments(std::span<const fxt::Argument> arguments) {
    std::string text;
    for (const fxt::Argument& argument : arguments) {
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", argument.name.text,
                          std::visit(ValueText{}, argument.value));
    }
    return text.empty() ? text : " {" + text + "}";
  }

  std::map<Koid, std::string> names_;
};

}  // namespace

CaptureScript::CaptureScript(const TranslatorOptions& options, bool sees_switches)
    : tasks_(identities_, sees_switches),
      archive_(std::make_unique<fxt::ArchiveWriter>(sink_)),
      writer_(std::make_unique<fxt::ProviderWriter>(*archive_, "test")),
      translator_(std::make_unique<Translator>(*writer_, tasks_, options)) {}

CaptureScript& CaptureScript::Task(uint32_t tid, uint32_t tgid, std::string_view comm,
                                   uint64_t start_time) {
  fxr_task task{};
  task.tid = tid;
  task.tgid = tgid;
  task.ppid = 1;
  task.start_time = start_time;
  Copy(comm, task.comm);
  translator_->OnSnapshotTask(task);
  return *this;
}

CaptureScript& CaptureScript::FinalTask(uint32_t tid, uint32_t tgid, uint32_t uid,
                                        uint64_t cgroup) {
  fxr_task task{};
  task.tid = tid;
  task.tgid = tgid;
  task.uid = uid;
  task.cgroup = cgroup;
  task.start_time = 1;
  translator_->OnFinalTask(task);
  return *this;
}

void CaptureScript::Start() {
  if (!started_) translator_->EndSnapshot();
  started_ = true;
}

CaptureScript& CaptureScript::Slot(uint64_t time, uint32_t cpu, uint32_t type,
                                   fxr_payload payload) {
  Start();
  translator_->OnSlot(cpu, time, fxr_pack_commit(type, payload.extra, time, 0), payload.body);
  return *this;
}

CaptureScript& CaptureScript::Switch(uint64_t time, uint32_t cpu, uint32_t prev, uint32_t next,
                                     fxr_task_state state) {
  constexpr uint8_t kPriority = 120;
  return Slot(time, cpu, FXR_SLOT_SWITCH,
              fxr_pack_switch({.prev_tid = prev,
                               .next_tid = next,
                               .prev_priority = kPriority,
                               .next_priority = kPriority,
                               .prev_state = static_cast<uint8_t>(state)}));
}

CaptureScript& CaptureScript::Waking(uint64_t time, uint32_t tid, uint32_t waker,
                                     uint16_t target_cpu, bool via_net_rx) {
  return Slot(time, 0, FXR_SLOT_WAKING,
              fxr_pack_waking({.woken_tid = tid,
                               .waker_tid = waker,
                               .priority = 120,
                               .target_cpu = target_cpu,
                               .is_new = 0,
                               .via_net_rx = via_net_rx}));
}

CaptureScript& CaptureScript::Throttled(uint64_t time, const fxr_throttled_long& fields) {
  Start();
  alignas(fxr_long) std::byte storage[FXR_LONG_SIZE(throttled, 0)]{};
  auto* event = reinterpret_cast<fxr_long*>(storage);
  event->header = {
      .time = time, .type = FXR_SIDE_LONG, .flags = 0, .cpu = 0, .size = sizeof(storage)};
  event->category = FXR_CATEGORY_SCHED;
  fxr_pack_throttled(event, fields, 0);
  translator_->OnSideEvent(event->header);
  return *this;
}

CaptureScript& CaptureScript::Fork(uint64_t time, uint32_t creator, uint32_t tid, uint32_t tgid,
                                   std::string_view comm, uint32_t uid) {
  Start();
  auto event = SideEvent<fxr_task>(time, FXR_SIDE_FORK);
  event.header.flags = std::exchange(flags_, uint8_t{0});
  event.tid = tid;
  event.tgid = tgid;
  event.creator = creator;
  event.uid = uid;
  event.start_time = time;
  Copy(comm, event.comm);
  translator_->OnSideEvent(event.header);
  return *this;
}

CaptureScript& CaptureScript::Exec(uint64_t time, uint32_t old_tid, uint32_t tgid,
                                   std::string_view comm, std::string_view file,
                                   std::string_view cmdline, uint32_t cmdline_length) {
  Start();
  // The command line follows the struct.
  std::vector<uint64_t> room((sizeof(fxr_exec) + cmdline.size()) / sizeof(uint64_t) + 1);
  auto* event = reinterpret_cast<fxr_exec*>(room.data());
  event->header = SideEvent<fxr_exec>(time, FXR_SIDE_EXEC).header;
  event->header.size = static_cast<fxr_u32>(sizeof(fxr_exec) + cmdline.size());
  event->header.flags = std::exchange(flags_, uint8_t{0});
  event->tid = event->tgid = tgid;
  event->old_tid = old_tid;
  event->cmdline_size = static_cast<fxr_u32>(cmdline.size());
  event->cmdline_length = std::max(cmdline_length, event->cmdline_size);
  Copy(comm, event->comm);
  Copy(file, event->filename);
  std::copy(cmdline.begin(), cmdline.end(), event->cmdline);
  translator_->OnSideEvent(event->header);
  return *this;
}

CaptureScript& CaptureScript::Rename(uint64_t time, uint32_t tid, uint32_t tgid,
                                     std::string_view comm, uint32_t uid) {
  Start();
  auto event = SideEvent<fxr_rename>(time, FXR_SIDE_RENAME);
  event.uid = uid;
  event.header.flags = std::exchange(flags_, uint8_t{0});
  event.tid = tid;
  event.tgid = tgid;
  Copy(comm, event.comm);
  translator_->OnSideEvent(event.header);
  return *this;
}

CaptureScript& CaptureScript::Cgroup(uint64_t time, uint32_t tid, uint32_t tgid, uint64_t cgroup) {
  Start();
  auto event = SideEvent<fxr_cgroup>(time, FXR_SIDE_CGROUP);
  event.tid = tid;
  event.tgid = tgid;
  event.cgroup = cgroup;
  translator_->OnSideEvent(event.header);
  return *this;
}

CaptureScript& CaptureScript::Exit(uint64_t time, uint32_t tid, uint32_t tgid, int32_t code,
                                   uint32_t uid) {
  Start();
  auto event = SideEvent<fxr_exit>(time, FXR_SIDE_EXIT);
  event.header.flags = std::exchange(flags_, uint8_t{0});
  event.tid = tid;
  event.tgid = tgid;
  event.exit_code = code;
  event.uid = uid;
  translator_->OnSideEvent(event.header);
  return *this;
}

CaptureScript& CaptureScript::Log(uint64_t time, uint32_t tid, std::string_view text) {
  Start();
  auto event = SideEvent<fxr_log>(time, FXR_SIDE_LOG);
  event.tid = tid;
  event.length = static_cast<fxr_u32>(text.size());
  Copy(text, event.text);
  translator_->OnSideEvent(event.header);
  return *this;
}

std::vector<std::string> CaptureScript::Lines() { return Lines(""); }

std::vector<std::string> CaptureScript::Lines(std::string_view word) {
  Start();
  archive_->Flush();
  fxt::MemorySource source(sink_.bytes());
  fxt::Reader reader(source);
  LineWriter write;
  std::vector<std::string> lines;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    std::string line = std::visit(write, reader.record());
    if (!line.empty() && line.find(word) != std::string::npos) lines.push_back(std::move(line));
  }
  EXPECT_EQ(reader.status(), fxt::ReadStatus::kEnd) << reader.error_message();
  EXPECT_TRUE(reader.diagnostics().kept().empty());
  return lines;
}

}  // namespace translate::testing
