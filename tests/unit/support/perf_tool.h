// SPDX-License-Identifier: BSD-2-Clause
// Files that the perf tool of this machine writes, and what it prints of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace testing_support {

// Why perf cannot be used here; empty if it can. Asked once: a recording takes perf a second.
const std::string& WhyNoPerf();

// Records a busy loop of some 50 ms with `options` to `path`, through a pipe or not, and returns
// the lines of `perf script --ns -F pid,tid,time,ip`, words separated by one space. Recordings that
// perf itself cannot read whole are made again, a few times; empty when none was good (`why` then
// has what perf said last).
std::optional<std::vector<std::string>> RecordWithPerf(const std::string& options,
                                                       const std::string& path, bool pipe,
                                                       std::string* why);

// "perf script"'s line of a sample, as above.
std::string PerfScriptLine(uint32_t pid, uint32_t tid, uint64_t time, uint64_t ip);

}  // namespace testing_support
