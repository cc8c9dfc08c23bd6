// SPDX-License-Identifier: BSD-2-Clause
// ftrace_compare: compares a recording with ftrace's record of the same seconds. See
// tests/capture/README.md.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "capture/ftrace/compare.h"
#include "capture/ftrace/tracefs/event_format.h"
#include "capture/ftrace/tracefs/ftrace_session.h"
#include "capture/ftrace/truth_run.h"

namespace truth {
namespace {

// Exit codes, as those of diff(1).
constexpr int kIdentical = 0;
constexpr int kDifferent = 1;
constexpr int kTrouble = 2;

int Trouble(const util::Error& error) {
  fmt::print(stderr, "ftrace_compare: {}\n", error.message);
  if (!error.hint.empty()) fmt::print(stderr, "ftrace_compare: {}\n", error.hint);
  return kTrouble;
}

struct Options {
  std::string log_path, trace_path, window_path;
  std::string recorder = "fxt-record";
  std::vector<std::string> recorder_options, command;
  std::string blind_init = "auto", blind_idle = "auto";
  uint64_t tolerance_us = 20;
  uint64_t rename_us = 100;
  size_t buffer_mib = 64;
  unsigned limit_s = 60;
  size_t examples = 12;

  CompareOptions compare() const {
    CompareOptions compare;
    compare.tolerance_ns = tolerance_us * 1000;
    compare.rename_takes_ns = rename_us * 1000;
    compare.examples = examples;
    return compare;
  }
};

int Record(const Options& options) {
  auto session = FtraceSession::Create({.buffer_kib = options.buffer_mib * 1024});
  if (!session.ok()) return Trouble(session.error());
  if (const auto status = session->Start(); !status.ok()) return Trouble(status.error());
  const CommandResult result = RunCommand(options.command, std::chrono::seconds(options.limit_s),
                                          {.stdout_fd = STDOUT_FILENO, .before_exec = {}});
  fmt::print(stderr, "{}", result.err);
  if (const auto status = session->Stop(); !status.ok()) return Trouble(status.error());
  auto collected = session->Collect();
  if (!collected.ok()) return Trouble(collected.error());
  if (collected->lost() != 0) {
    return Trouble({fmt::format("ftrace lost {} events", collected->lost()), "raise --buffer-mib"});
  }
  if (const auto status = SaveSwitchLog(collected->log, options.log_path); !status.ok()) {
    return Trouble(status.error());
  }
  return result.exit_code >= 0 ? result.exit_code : 128 + result.signal;
}

int CompareFiles(const Options& options) {
  const auto reference = LoadSwitchLog(options.log_path);
  if (!reference.ok()) return Trouble(reference.error());
  const auto recorded = ReadFxtLog(options.trace_path);
  if (!recorded.ok()) return Trouble(recorded.error());
  CompareOptions compare = options.compare();
  compare.window = {std::max(reference->begin_ns, recorded->first_ns),
                    std::min(reference->end_ns, recorded->last_ns)};
  if (!options.window_path.empty()) {
    const auto window = ReadWindow(options.window_path);
    if (!window.ok()) return Trouble(window.error());
    compare.window = *window;
  }
  auto blind = ParseBlindSpots(options.blind_init, options.blind_idle, *reference, recorded->log);
  if (!blind.ok()) return Trouble(blind.error());
  compare.blind = std::move(*blind);
  const Comparison comparison = Compare(*reference, *recorded, compare);
  fmt::print("{}", comparison.Describe(compare));
  for (const std::string& problem : recorded->problems) fmt::print("{}\n", problem);
  return comparison.exact() && recorded->problem_count == 0 ? kIdentical : kDifferent;
}

int Run(const Options& options) {
  TruthRunOptions run;
  run.recorder = {options.recorder};
  run.recorder_options = options.recorder_options;
  run.workload = options.command;
  run.window_program = "/proc/self/exe";
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  if (length > 0) run.window_program.assign(self, static_cast<size_t>(length));
  run.limit = std::chrono::seconds(options.limit_s);
  run.buffer_kib = options.buffer_mib * 1024;
  run.blind_init = options.blind_init;
  run.blind_idle = options.blind_idle;
  run.compare = options.compare();
  const bool keep = !options.trace_path.empty();
  run.trace_path = keep ? options.trace_path : fmt::format("/tmp/ftrace_compare.{}.fxt", getpid());
  const auto result = RunUnderBoth(run);
  if (!keep) unlink(run.trace_path.c_str());
  if (!result.ok()) return Trouble(result.error());
  fmt::print("{}", result->Describe());
  if (!options.log_path.empty()) {
    if (const auto status = SaveSwitchLog(result->reference.log, options.log_path); !status.ok()) {
      return Trouble(status.error());
    }
  }
  return result->comparison.exact() && result->recorded.problem_count == 0 ? kIdentical
                                                                           : kDifferent;
}

int Info(const Options& options) {
  const auto log = LoadSwitchLog(options.log_path);
  if (!log.ok()) return Trouble(log.error());
  const BlindSpots blind = DetectBlindSpots(*log, {});
  fmt::print("{:.6f} s, {} renames, {} new tasks; blind spots: {}\n",
             static_cast<double>(log->end_ns - log->begin_ns) / 1e9, log->renames.size(),
             log->births.size(), blind.Describe());
  for (size_t cpu = 0; cpu < log->cpus.size(); ++cpu) {
    if (log->cpus[cpu].empty()) continue;
    const Gaps gaps = FindGaps(log->cpus[cpu], *log, {}, blind.init,
                               blind.idle_cpus.contains(static_cast<uint32_t>(cpu)));
    fmt::print(
        "cpu{}: {} switches; gaps: {} out of PID 1, {} out of idle, {} take-overs, {} "
        "unexplained\n",
        cpu, log->cpus[cpu].size(), gaps.init, gaps.idle, gaps.unborn, gaps.takeover,
        gaps.unexplained);
  }
  return 0;
}

int Dump(const Options& options) {
  const auto log = LoadSwitchLog(options.log_path);
  if (!log.ok()) return Trouble(log.error());
  for (size_t cpu = 0; cpu < log->cpus.size(); ++cpu) {
    for (const Switch& s : log->cpus[cpu]) {
      fmt::print("{}.{:09d} cpu{} {}:{} [{}] {} ==> {}:{} [{}]\n", s.time_ns / 1'000'000'000,
                 s.time_ns % 1'000'000'000, cpu, log->names.Name(s.prev_name), s.prev_tid,
                 s.prev_priority, StateText(s.prev_state), log->names.Name(s.next_name), s.next_tid,
                 s.next_priority);
    }
  }
  for (const Rename& rename : log->renames) {
    fmt::print("{}.{:09d} cpu{} rename by {} of {}: {} -> {}\n", rename.time_ns / 1'000'000'000,
               rename.time_ns % 1'000'000'000, rename.cpu, rename.by_tid, rename.tid,
               log->names.Name(rename.old_name), log->names.Name(rename.new_name));
  }
  for (const Birth& birth : log->births) {
    fmt::print("{}.{:09d} new task {} of {}\n", birth.time_ns / 1'000'000'000,
               birth.time_ns % 1'000'000'000, birth.tid, birth.parent_tid);
  }
  return 0;
}

int Main(int argc, char** argv) {
  // The remaining options belong to the command.
  if (argc > 4 && std::string_view(argv[1]) == "within") {
    return RunWithinWindow(argv[2], argv[3], {argv + 4, argv + argc});
  }
  CLI::App app{"Holds a recording against ftrace's own record of the same seconds."};
  app.require_subcommand(1);
  Options options;

  const auto command = [&](CLI::App* sub) {
    sub->add_option("command", options.command, "what to run, after --")->required();
  };
  const auto comparison = [&](CLI::App* sub) {
    sub->add_option("--blind-init", options.blind_init, "switches out of PID 1: auto, yes, no");
    sub->add_option("--blind-idle", options.blind_idle,
                    "CPUs out of whose idle ftrace sees no switch: auto, none, 1,3");
    sub->add_option("--tolerance-us", options.tolerance_us, "allowed difference of times");
    sub->add_option("--rename-us", options.rename_us, "how long a rename may be under way");
    sub->add_option("--examples", options.examples, "differences to spell out");
  };
  const auto tracing = [&](CLI::App* sub) {
    sub->add_option("--buffer-mib", options.buffer_mib, "ftrace's, per CPU");
    sub->add_option("--limit", options.limit_s, "seconds until everything is killed");
  };

  CLI::App* record = app.add_subcommand("record", "ftrace alone, around a command");
  record->add_option("-o,--output", options.log_path)->required();
  tracing(record);
  command(record);
  CLI::App* compare = app.add_subcommand("compare", "a log of `record` with an FXT file");
  compare->add_option("log", options.log_path)->required();
  compare->add_option("trace", options.trace_path)->required();
  compare->add_option("--window", options.window_path, "file of `within`");
  comparison(compare);
  CLI::App* run = app.add_subcommand("run", "a command under both tracers, and compare");
  run->add_option("--recorder", options.recorder)->capture_default_str();
  run->add_option("--recorder-option", options.recorder_options, "handed on; may be repeated")
      ->allow_extra_args(false);
  run->add_option("--keep", options.trace_path, "keep the recording under this name");
  run->add_option("--keep-log", options.log_path, "keep ftrace's log under this name");
  comparison(run);
  tracing(run);
  command(run);
  app.add_subcommand("within", "WINDOW SESSION COMMAND...: run a command and note when");
  CLI::App* info = app.add_subcommand("info", "what a log of `record` holds");
  info->add_option("log", options.log_path)->required();
  CLI::App* dump = app.add_subcommand("dump", "a line for each switch of a log");
  dump->add_option("log", options.log_path)->required();

  CLI11_PARSE(app, argc, argv);
  if (*record) return Record(options);
  if (*compare) return CompareFiles(options);
  if (*run) return Run(options);
  if (*info) return Info(options);
  return Dump(options);
}

}  // namespace
}  // namespace truth

int main(int argc, char** argv) { return truth::Main(argc, argv); }
