// SPDX-License-Identifier: BSD-2-Clause
// Feeds events in the form of the BPF programs to a translator, and reads the file back.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/archive_writer.h"
#include "fxt/provider_writer.h"
#include "fxt_record/event.h"
#include "fxt_record/long_event.h"
#include "fxt_record/slot_body.h"
#include "model/identity_source.h"
#include "model/task_tracker.h"
#include "sink/memory_sink.h"
#include "translate/translator.h"

namespace translate::testing {

// An identity source with the tasks of a test.
class FakeIdentities final : public model::IdentitySource {
 public:
  model::ProcessText TextOf(uint32_t tgid) override {
    const auto found = texts.find(tgid);
    return found == texts.end() ? model::ProcessText{} : found->second;
  }
  std::optional<fxr_task> LookUp(uint32_t tid) override {
    ++lookups;
    const auto found = tasks.find(tid);
    if (found == tasks.end()) return std::nullopt;
    return found->second;
  }
  std::string CgroupPath(uint64_t id) override { return id == 0 ? "" : "/" + std::to_string(id); }
  std::string IrqName(uint32_t irq) override { return irq == 9 ? "acpi" : ""; }
  std::string FunctionAt(int64_t address) override {
    const auto found = functions.find(address);
    return found == functions.end() ? "" : found->second;
  }
  std::vector<model::ExecutableMapping> MappingsOf(uint32_t) override { return {}; }

  std::map<int64_t, std::string> functions;
  std::map<uint32_t, model::ProcessText> texts;
  std::map<uint32_t, fxr_task> tasks;
  int lookups = 0;
};

class CaptureScript {
 public:
  explicit CaptureScript(const TranslatorOptions& options = {}, bool sees_switches = true);
  // A task that exists at the start.
  CaptureScript& Task(uint32_t tid, uint32_t tgid, std::string_view comm, uint64_t start_time = 1);
  // A task that exists at the end, with these values.
  CaptureScript& FinalTask(uint32_t tid, uint32_t tgid, uint32_t uid, uint64_t cgroup);

  CaptureScript& Switch(uint64_t time, uint32_t cpu, uint32_t prev, uint32_t next,
                        fxr_task_state state = FXR_STATE_INTERRUPTIBLE);
  CaptureScript& Waking(uint64_t time, uint32_t tid, uint32_t waker, uint16_t target_cpu,
                        bool via_net_rx = false);
  CaptureScript& Throttled(uint64_t time, const fxr_throttled_long& fields);
  CaptureScript& Slot(uint64_t time, uint32_t cpu, uint32_t type, fxr_payload payload);
  CaptureScript& Fork(uint64_t time, uint32_t creator, uint32_t tid, uint32_t tgid,
                      std::string_view comm, uint32_t uid = 0);
  CaptureScript& Exec(uint64_t time, uint32_t old_tid, uint32_t tgid, std::string_view comm,
                      std::string_view file, std::string_view cmdline, uint32_t cmdline_length = 0);
  CaptureScript& Rename(uint64_t time, uint32_t tid, uint32_t tgid, std::string_view comm,
                        uint32_t uid = 0);
  CaptureScript& Exit(uint64_t time, uint32_t tid, uint32_t tgid, int32_t code, uint32_t uid = 0);
  CaptureScript& Cgroup(uint64_t time, uint32_t tid, uint32_t tgid, uint64_t cgroup);
  // The next task event is of a task that the filter excludes.
  CaptureScript& NamesOnly() {
    flags_ = FXR_SIDE_NAMES_ONLY;
    return *this;
  }
  CaptureScript& Log(uint64_t time, uint32_t tid, std::string_view text);

  Translator& translator() { return *translator_; }
  FakeIdentities& identities() { return identities_; }

  // Ends the file. Returns a line per record except table entries, with the names at that time:
  //   object process 100 app {ppid=1}
  //   10 switch cpu0 first/100 blocked -> second/101 120 120
  //   10 wakeup cpu1 first/100 {waker=koid 101}
  //   10 instant first/100 sched:linux_state {state=D}
  //   10 mmap first/100 of 100 at 0x1000
  std::vector<std::string> Lines();
  // The lines that contain `word`.
  std::vector<std::string> Lines(std::string_view word);

 private:
  sink::MemorySink sink_;
  FakeIdentities identities_;
  model::TaskTracker tasks_;
  std::unique_ptr<fxt::ArchiveWriter> archive_;
  std::unique_ptr<fxt::ProviderWriter> writer_;
  std::unique_ptr<Translator> translator_;
  bool started_ = false;
  uint8_t flags_ = 0;
  void Start();
};

}  // namespace translate::testing
