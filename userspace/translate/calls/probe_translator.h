// SPDX-License-Identifier: BSD-2-Clause
// Translates calls of probed functions into durations on their threads, and USDT probes into
// instants. docs/probes.md describes them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fxt_record/long_event.h"
#include "model/task_tracker.h"
#include "probes/probe.h"
#include "translate/file/trace_writer.h"

namespace translate {

class ProbeTranslator {
 public:
  struct Stats {
    uint64_t events = 0;
    uint64_t recorded = 0;
    uint64_t unmatched_ends = 0;  // returns without their entries
    uint64_t unreadable = 0;
    uint64_t unread_arguments = 0;  // arguments whose memory was not resident
  };

  // Returns the idle thread of a CPU. Interrupt handlers call kernel functions on it.
  using IdleThread = std::function<model::ThreadHandle(uint32_t cpu)>;

  // `file` and `tasks` outlive the translator. Events carry an index into `probes`.
  ProbeTranslator(TraceWriter& file, model::TaskTracker& tasks, std::vector<probes::Probe> probes,
                  IdleThread idle);

  // True if OnSlot handles this slot type.
  static bool Handles(uint32_t type) {
    return type >= FXR_SLOT_PROBE_ENTRY && type <= FXR_SLOT_PROBE_VALUE_TOP;
  }
  // Times are ns of the file's clock.
  void OnSlot(uint32_t type, uint32_t cpu, uint64_t time, uint64_t body, uint64_t extra);
  // `values` are the bytes after the event's header.
  void OnHit(uint64_t time, const fxr_probe_hit_long& hit, std::span<const uint64_t> values);
  // `bytes` are those after the event's header.
  void OnValues(uint32_t cpu, uint64_t time, const fxr_probe_values_long& event,
                std::span<const std::byte> bytes);
  // The thread `old_tid`, now `tid`, has executed another program. Its open calls never return.
  void OnExec(uint64_t time, uint32_t old_tid, uint32_t tid);
  // A system call of the thread returned, and its duration ended.
  void OnSyscallExit(uint64_t time, uint32_t tid);
  // The thread exits. Ends its open calls.
  void OnThreadEnd(uint64_t time, uint32_t tid);
  // Probe events were lost. Drops pending return values, which may belong to lost returns.
  void OnLoss();

  const Stats& stats() const { return stats_; }

 private:
  // A call whose duration has begun in the file.
  struct Call {
    uint32_t probe = 0;
    uint64_t frame = 0;  // see event_table.h
    fxt::Koid process_koid = 0;
    fxt::Koid thread_koid = 0;  // koid at the begin; exec can change it
  };
  struct Thread {
    model::ThreadHandle handle =
        model::kNoHandle;     // of an idle thread; the others are known by their tid
    std::vector<Call> calls;  // innermost last
    int64_t value = 0;        // return value of the next return event
    uint64_t value_top = 0;
    bool has_value = false;
    bool has_top = false;
    // Text of the next return event.
    bool has_text = false;
    bool has_unread_text = false;  // it could not be read; `text` empty: the pointer was null
    std::string text;
    bool executed = false;  // exec happened, and the execve call has not returned yet
  };

  // Values of a call as they are written. Refers to the event's bytes and to `names`.
  struct Values;

  void OnEntry(uint64_t time, uint64_t key, const fxr_probe_entry_body& event,
               const Values* values);
  void OnReturn(uint64_t time, uint64_t key, const fxr_probe_return_body& event);
  void OnValue(uint64_t key, const fxr_probe_value_body& event);
  // The key in `threads_`: the tid, or that of the CPU's idle thread.
  uint64_t KeyOf(uint32_t cpu, uint32_t tid);
  model::ThreadHandle HandleOf(uint64_t key);
  // True if the last of `calls` must have ended by the time a function of `probe` is entered at
  // `frame`.
  bool IsOver(std::span<const Call> calls, uint32_t probe, uint64_t frame) const;
  // Ends the innermost call. `returned`: its return was recorded; `has_value`: `thread` holds its
  // return value.
  void End(uint64_t time, uint64_t key, Thread& thread, bool returned, bool has_value);
  size_t PutValues(OpenRecord& record, const Values& values, std::span<fxt::Argument> arguments);
  void EndAll(uint64_t time, uint64_t key, Thread& thread);

  TraceWriter& file_;
  model::TaskTracker& tasks_;
  Stats stats_;
  const std::vector<probes::Probe> probes_;
  std::vector<fxt::StringId> names_;                     // by probe number
  std::vector<fxt::StringId> argument_names_;            // "arg1" and so on
  std::vector<std::vector<fxt::StringId>> shown_names_;  // of the probes' `shown`
  std::array<std::string, FXR_PROBE_TEXTS> scratch_;     // of texts that are not valid UTF-8
  fxt::StringId no_return_;
  fxt::StringId retval_;
  IdleThread idle_;
  std::unordered_map<uint64_t, Thread> threads_;  // see KeyOf()
};

}  // namespace translate
