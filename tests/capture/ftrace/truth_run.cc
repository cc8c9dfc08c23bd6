// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/truth_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "capture/ftrace/tracefs/trace_fs.h"
#include "capture/support/clock.h"
#include "capture/support/instants.h"

namespace truth {

std::string TruthRun::Describe() const {
  std::string text = comparison.Describe(options);
  text += fmt::format("recording: {} bytes", recorded.bytes);
  for (const auto& [type, count] : recorded.records) text += fmt::format(", {} {}", count, type);
  text += '\n';
  for (const std::string& problem : recorded.problems) text += problem + '\n';
  return text;
}

util::Result<uint64_t> SessionBegin(const std::string& path) {
  const auto instants = ReadInstants(path);
  if (!instants.ok()) return instants.error();
  for (const Instant& instant : *instants) {
    if (instant.name == "session") return instant.time_ns;
  }
  return util::Error{fmt::format("{} does not say when it begins", path), ""};
}

util::Result<TruthRun> RunUnderBoth(const TruthRunOptions& options, const DuringRun& during) {
  const std::string window_path = options.trace_path + ".window";
  auto session = FtraceSession::Create({.buffer_kib = options.buffer_kib});
  if (!session.ok()) return session.TakeError();
  auto second = FtraceSession::CreateSecond({.buffer_kib = options.buffer_kib});
  if (!second.ok()) return second.TakeError();
  std::vector<std::string> command = options.recorder;
  command.insert(command.end(), {"-q", "-o", options.trace_path});
  command.insert(command.end(), options.recorder_options.begin(), options.recorder_options.end());
  for (const std::string& word : {std::string("--"), options.window_program, std::string("within"),
                                  window_path, second->name()}) {
    command.push_back(word);
  }
  command.insert(command.end(), options.workload.begin(), options.workload.end());

  if (auto status = session->Start(); !status.ok()) return status.TakeError();
  TruthRun run;
  auto recorder = ChildProcess::Start(command);
  if (!recorder.ok()) return recorder.TakeError();
  if (during) during(*recorder);
  run.command = recorder->Wait(options.limit);
  if (auto status = session->Stop(); !status.ok()) return status.TakeError();
  if (run.command.exit_code != 0) {
    return util::Error{fmt::format("the recorder failed: {}", run.command.Describe()), ""};
  }
  auto window = ReadWindow(window_path);
  unlink(window_path.c_str());
  if (!window.ok()) return window.TakeError();
  auto reference = session->Collect();
  if (!reference.ok()) return reference.TakeError();
  run.reference = std::move(*reference);
  if (run.reference.lost() != 0) {
    return util::Error{fmt::format("ftrace lost {} events", run.reference.lost()),
                       "give it larger buffers"};
  }
  if (auto status = FtraceSession::TakeSecond(&*second, &run.reference.log); !status.ok()) {
    return status.TakeError();
  }
  auto recorded = ReadFxtLog(options.trace_path);
  if (!recorded.ok()) return recorded.TakeError();
  run.recorded = std::move(*recorded);
  auto blind =
      ParseBlindSpots(options.blind_init, options.blind_idle, run.reference.log, run.recorded.log);
  if (!blind.ok()) return blind.TakeError();
  run.options = options.compare;
  run.options.window = *window;
  if (options.from_session) {
    const auto begin = SessionBegin(options.trace_path);
    if (!begin.ok()) return begin.error();
    run.options.window.begin_ns = std::max(run.options.window.begin_ns, *begin);
  }
  run.options.blind = std::move(*blind);
  run.comparison = Compare(run.reference.log, run.recorded, run.options);
  return run;
}

int RunWithinWindow(const std::string& window_path, const std::string& second,
                    const std::vector<std::string>& command) {
  if (second != "-") {
    if (const auto status = FtraceSession::StartSecond(second); !status.ok()) {
      fprintf(stderr, "ftrace_compare: %s\n", status.error().message.c_str());
      return 126;
    }
  }
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const uint64_t begin = BootTimeNs();
  const pid_t pid = fork();
  if (pid < 0) return 126;
  if (pid == 0) {
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const uint64_t end = BootTimeNs();
  FILE* file = fopen(window_path.c_str(), "we");
  if (!file) return 126;
  fprintf(file, "%llu %llu\n", static_cast<unsigned long long>(begin),
          static_cast<unsigned long long>(end));
  if (fclose(file) != 0) return 126;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

util::Result<Window> ReadWindow(const std::string& window_path) {
  auto text = ReadFileAt(AT_FDCWD, window_path);
  if (!text.ok()) return text.TakeError();
  unsigned long long begin = 0, end = 0;
  if (sscanf(text->c_str(), "%llu %llu", &begin, &end) != 2 || begin >= end) {
    return util::Error{fmt::format("{} holds no window", window_path), ""};
  }
  return Window{begin, end};
}

}  // namespace truth
