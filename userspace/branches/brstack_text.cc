// SPDX-License-Identifier: BSD-2-Clause
#include "branches/brstack_text.h"

#include <iterator>

#include "util/format_library.h"

namespace branches {

void AppendBranchEntry(const perf::BranchEntry& entry, std::string* out) {
  char prediction = '-';
  if (entry.mispredicted()) {
    prediction = 'M';
  } else if (entry.predicted()) {
    prediction = 'P';
  }
  fmt::format_to(std::back_inserter(*out), "{:#x}/{:#x}/{}/{}/{}/{}/", entry.from, entry.to,
                 prediction, entry.in_transaction() ? 'X' : '-', entry.aborted() ? 'A' : '-',
                 entry.cycles());
}

void AppendBrstackHead(uint32_t pid, uint32_t tid, std::optional<uint32_t> cpu, uint64_t time,
                       std::string* out) {
  constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;
  // perf prints ids as signed numbers: a task it does not know is -1.
  fmt::format_to(std::back_inserter(*out), "{:5}/{:<5} ", static_cast<int32_t>(pid),
                 static_cast<int32_t>(tid));
  if (cpu) fmt::format_to(std::back_inserter(*out), "[{:03}] ", *cpu);
  fmt::format_to(std::back_inserter(*out), "{:5}.{:09}: ", time / kNanosecondsPerSecond,
                 time % kNanosecondsPerSecond);
}

void AppendBrstackLine(uint32_t pid, uint32_t tid, std::optional<uint32_t> cpu, uint64_t time,
                       std::span<const perf::BranchEntry> entries, std::string* out) {
  AppendBrstackHead(pid, tid, cpu, time, out);
  for (const perf::BranchEntry& entry : entries) {
    out->push_back(' ');
    AppendBranchEntry(entry, out);
    out->push_back(' ');
  }
}

}  // namespace branches
