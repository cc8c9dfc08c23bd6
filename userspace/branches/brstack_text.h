// SPDX-License-Identifier: BSD-2-Clause
// Formats branch stacks like `perf script -F pid,tid,cpu,time,brstack --ns` of Linux 6.1, for
// comparison with perf and for tools that read its output.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "perf/record/branch_entry.h"

namespace branches {

// One entry: "0x401136/0x401100/P/-/-/12/" (from, to; M mispredicted, P predicted, - unknown; X in
// a transaction; A aborted; cycles).
void AppendBranchEntry(const perf::BranchEntry& entry, std::string* out);

// The text before the entries: " 5805/5805  [003] 12631.245939019: ". `time` is in ns.
void AppendBrstackHead(uint32_t pid, uint32_t tid, std::optional<uint32_t> cpu, uint64_t time,
                       std::string* out);

// A whole line without its newline, newest entry first.
void AppendBrstackLine(uint32_t pid, uint32_t tid, std::optional<uint32_t> cpu, uint64_t time,
                       std::span<const perf::BranchEntry> entries, std::string* out);

}  // namespace branches
