// SPDX-License-Identifier: BSD-2-Clause
// What is in a trace, counted in one pass.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/object_names.h"
#include "facts/record_kind.h"
#include "fxt/reader.h"

namespace analyze {

struct Counted {
  uint64_t count = 0;
  uint64_t bytes = 0;  // of the records, or of payloads where said so
};

struct Summary {
  struct Provider {
    uint32_t id = 0;
    std::string name;
    uint64_t ticks_per_second = 0;
    Counted records;
  };
  struct Cpu {
    uint64_t switches = 0;
    uint64_t wakeups = 0;  // of threads that are to run there
    uint64_t busy_ns = 0;  // between switches that follow one another, idle excepted
  };
  struct Thread {
    fxt::Koid process = 0;
    uint64_t switches = 0;  // onto a CPU
    uint64_t run_ns = 0;
    bool idle = false;
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
  std::array<Counted, facts::kRecordKinds> kinds{};
  std::vector<Provider> providers;  // in order of appearance
  std::map<uint32_t, Cpu> cpus;
  std::map<fxt::Koid, Thread> threads;  // those that ran
  facts::ObjectNames names;
  std::map<std::string, uint64_t> categories;  // events
  std::map<std::string, BlobStream> blobs;     // by name; large blobs have type 0
  uint64_t buffer_filled_events = 0;           // provider events of type 0
  // Declared by the recorder: (cpu, category) to the number of events; cpu -1 is none.
  std::map<std::pair<int32_t, std::string>, uint64_t> lost;
  uint64_t unseen_switches = 0;
  // The recorder's session event: name and value as text, in order.
  std::vector<std::pair<std::string, std::string>> session;
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
class SummaryBuilder {
 public:
  // The record that `reader` stands at.
  void Add(const fxt::Reader& reader);
  // After the last record. The builder is empty then.
  Summary Finish(const fxt::Reader& reader);

 private:
  struct Running {
    fxt::Koid thread = 0;
    uint64_t since = 0;
    bool idle = false;
  };

  Summary::Provider& ProviderOf(const fxt::ReaderProvider& provider);
  void AddTime(uint64_t time);
  void AddSwitch(const fxt::Reader& reader);
  void AddEvent(const fxt::Event& event);
  void AddBlob(const fxt::StringRef& name, uint8_t type, size_t bytes);
  Summary::Thread* ThreadOf(fxt::Koid koid);

  Summary summary_;
  std::map<uint32_t, size_t> provider_index_;
  std::map<uint32_t, Running> running_;
};

// Reads all of `reader`.
Summary Summarize(fxt::Reader& reader);

// Text of an argument's value, for people.
std::string ValueText(const fxt::ArgumentValue& value);

}  // namespace analyze
