// SPDX-License-Identifier: BSD-2-Clause
#include "unit/support/perf_tool.h"

#include <fmt/core.h>

#include <sstream>

#include "unit/support/run_command.h"

namespace testing_support {
namespace {

constexpr int kAttempts = 5;
// Enough samples even where the kernel has lowered its limit of samples a second, as it does when
// the machine is busy.
constexpr const char* kWorkload = "sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'";

std::string FindProblem() {
  if (RunShell("perf --version").status != 0) return "no perf tool on this machine";
  const CommandResult record = RunShell("perf record -q -e cpu-clock -o - true");
  if (record.out.find("PERFILE2") == std::string::npos) {
    return "perf may not record on this machine: " + record.err;
  }
  return "";
}

}  // namespace

const std::string& WhyNoPerf() {
  static const std::string why = FindProblem();
  return why;
}

std::optional<std::vector<std::string>> RecordWithPerf(const std::string& options,
                                                       const std::string& path, bool pipe,
                                                       std::string* why) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const CommandResult record =
        RunShell(fmt::format("exec perf record -q {} -o {} -- {} {}", options, pipe ? "-" : path,
                             kWorkload, pipe ? "> " + path : ""));
    if (record.status != 0) {
      *why = fmt::format("perf record {}: exit status {}: {}", options, record.status, record.err);
      continue;
    }
    const CommandResult script =
        RunCommand({"perf", "script", "-i", path, "--ns", "-F", "pid,tid,time,ip"});
    std::vector<std::string> lines;
    std::istringstream text(script.out);
    for (std::string line; std::getline(text, line);) {
      std::istringstream words(line);
      std::string joined;
      for (std::string word; words >> word;) joined += (joined.empty() ? "" : " ") + word;
      lines.push_back(joined);
    }
    // perf ends with 0 after "failed to process" and the like, too, having printed a part.
    if (script.status == 0 && script.err.empty() && !lines.empty()) return lines;
    *why = fmt::format("perf script of perf record {}: exit status {}, {} lines: {}", options,
                       script.status, lines.size(), script.err);
  }
  return std::nullopt;
}

std::string PerfScriptLine(uint32_t pid, uint32_t tid, uint64_t time, uint64_t ip) {
  constexpr uint64_t kNsPerSecond = 1'000'000'000;
  // A task that has no number any more is -1.
  return fmt::format("{}/{} {}.{:09}: {:x}", static_cast<int32_t>(pid), static_cast<int32_t>(tid),
                     time / kNsPerSecond, time % kNsPerSecond, ip);
}

}  // namespace testing_support
