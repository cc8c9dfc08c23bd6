// SPDX-License-Identifier: BSD-2-Clause
// What is in a trace, counted in one pass.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/record_kind.h"
#include "facts/settings_event.h"
#include "facts/task_names.h"
#include "facts/timeline/held_waits.h"
#include "facts/timeline/timeline.h"
#include "fxt/reader.h"
#include "schema/stack_end_counts.h"

namespace analyze {

struct Counted {
  uint64_t count = 0;
  uint64_t bytes = 0;  // of the records, or of payloads where said so

  void Add(const Counted& other) {
    count += other.count;
    bytes += other.bytes;
  }
};

struct Overview {
  struct Provider {
    uint32_t id = 0;
    std::string name;
    uint64_t ticks_per_second = 0;
    Counted records;
  };
  struct Cpu {
    uint64_t switches = 0;
    uint64_t wakeups = 0;  // of threads that are to run there
    // Times within the window, with its edges; the rest is idle, or before the CPU's first record.
    uint64_t busy_ns = 0;     // a thread ran
    uint64_t unknown_ns = 0;  // events were lost, or a switch is missing
  };
  struct Thread {
    fxt::Koid process = 0;
    uint64_t switches = 0;  // onto a CPU
    uint64_t run_ns = 0;
    bool idle = false;
  };
  // Sums of --counters over a thread's runs.
  struct Work {
    uint64_t cycles = 0;
    uint64_t instructions = 0;
  };
  struct Blocked {
    uint64_t waits = 0;
    uint64_t ns = 0;  // up to the wakeup, or to when they ran again without one
  };
  struct BlobStream {
    uint8_t type = 0;
    Counted payload;
  };

  uint64_t bytes = 0;  // of the uncompressed stream
  uint64_t records = 0;
  // ns; of all records that have a time but the recorder's own about itself.
  std::optional<uint64_t> first_time;
  std::optional<uint64_t> last_time;
  // From the begin of the recording, or the first switch, wakeup or loss, to the latest of those:
  // what times of CPUs and threads are parts of.
  uint64_t window_ns = 0;
  std::array<Counted, facts::kRecordKinds> kinds{};
  std::vector<Provider> providers;  // in order of appearance
  std::map<uint32_t, Cpu> cpus;
  std::map<fxt::Koid, Thread> threads;  // those that ran; no stand-ins for lost events
  std::unique_ptr<facts::TaskNames> names = std::make_unique<facts::TaskNames>();
  std::map<std::string, uint64_t> categories;  // events
  std::map<std::string, BlobStream> blobs;     // by name; large blobs have type 0
  uint64_t buffer_filled_events = 0;           // provider events of type 0
  // Declared by the recorder: (cpu, category) to the number of events; cpu -1 is none.
  std::map<std::pair<int32_t, std::string>, uint64_t> lost;
  uint64_t unseen_switches = 0;
  schema::StackEndCounts stack_ends;
  std::map<std::string, uint64_t> counted;  // by --counters, of all runs
  uint64_t partial_runs = 0;                // runs in which a counter did not count all the time
  std::map<fxt::Koid, Work> work;           // where both were counted
  // Waits in D by what they waited for (facts::KindOfReason); "" of those that nothing is said of.
  std::map<std::string, Blocked> blocked;
  // The recorder's session event: name and value as text, in order.
  std::vector<std::pair<std::string, std::string>> session;
  // Settings of the recording, if requested, in file order.
  struct Settings {
    uint64_t time = 0;  // ns
    schema::SettingScope scope = schema::SettingScope::kSystem;
    std::string subject;
    std::optional<fxt::Koid> process;
    std::vector<std::pair<std::string, std::string>> values;
  };
  std::vector<Settings> settings;
  // Things left out of the maps above because there were too many different ones.
  uint64_t not_listed = 0;

  std::array<uint64_t, fxt::kDiagnosticKinds> diagnostics{};
  std::vector<fxt::Diagnostic> first_diagnostics;
  bool truncated = false;
  std::string error;  // why reading stopped before the end, if it did

  uint64_t duration_ns() const { return first_time ? *last_time - *first_time : 0; }
  const Counted& of(facts::RecordKind kind) const { return kinds[static_cast<size_t>(kind)]; }
  uint64_t events() const;
  uint64_t lost_events() const;
};

// Feed it every record, then Finish.
class OverviewBuilder {
 public:
  // `with_settings`: fills Overview::settings.
  explicit OverviewBuilder(bool with_settings = false) : with_settings_(with_settings) {}
  OverviewBuilder(const OverviewBuilder&) = delete;
  OverviewBuilder& operator=(const OverviewBuilder&) = delete;

  // Takes the record that `reader` stands at.
  void Add(const fxt::Reader& reader);
  // See facts::Timeline::AddFastPath().
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most);
  // After the last record. The builder has done its work then.
  Overview Finish(const fxt::Reader& reader);

 private:
  // The handler of the timeline.
  struct Facts {
    OverviewBuilder& builder;
    void OnRun(const facts::Run& run) const;
    void OnIdle(const facts::Idle& idle) const;
    void OnWait(const facts::Wait& wait) const;
    void OnCpuSwitch(const facts::CpuSwitch& change) const;
    void OnWakeup(const facts::Wakeup& wakeup) const { builder.AddTime(wakeup.time); }
  };
  struct BlockedCounter {
    OverviewBuilder& builder;
    void operator()(uint64_t ns, const std::string& reason) const {
      builder.CountBlocked(ns, reason);
    }
  };

  Overview::Provider& ProviderOf(const fxt::ReaderProvider& provider);
  void AddTime(uint64_t time);
  void AddEvent(const fxt::Event& event, bool is_kernels);
  void AddCounts(const fxt::Event& event);
  void AddSettings(const facts::SettingsEvent& event, uint64_t time);
  void CountBlocked(uint64_t ns, const std::string& reason);
  void AddBlob(const fxt::StringRef& name, uint8_t type, size_t bytes);
  // Null for facts::kNoThread.
  Overview::Thread* ThreadAt(facts::ThreadIndex index);

  const bool with_settings_;
  Overview overview_;
  size_t room_ = size_t{64} << 20;  // bytes that the entries of categories, blobs, ... may take
  std::map<uint32_t, size_t> provider_index_;
  facts::HeldWaits<uint64_t, BlockedCounter> blocked_{BlockedCounter{*this}};  // their lengths, ns
  Facts facts_{*this};
  facts::Timeline<Facts> timeline_{facts_};
  uint64_t switches_ = 0;                  // records
  std::vector<Overview::Thread> threads_;  // by facts::ThreadIndex
};

// Reads all of `reader`.
Overview TakeOverview(fxt::Reader& reader);

// Text of an argument's value, for people.
std::string ValueText(const fxt::ArgumentValue& value);

}  // namespace analyze
