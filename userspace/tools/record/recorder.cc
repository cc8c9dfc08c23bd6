// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "tools/common/message.h"
#include "util/clock.h"
#include "util/cpu_list.h"
#include "util/machine_info.h"
#include "util/quantity.h"
#include "util/syscall_names.h"

namespace tools {
namespace {

constexpr const char* kProgram = "fxt-record";
// A ring that fills faster wakes the recorder by itself; so where little happens it may sleep for
// longer.
constexpr int kPollMs = 100;
constexpr int kQuietPollMs = 250;
constexpr int kUnfinishedMs = 1;
// What a kill can cost at most.
constexpr uint64_t kFlushInterval = 400'000'000;
constexpr uint64_t kProgressInterval = 250'000'000;

// Being late, not being slow, is what loses events: other threads must not keep the recorder
// waiting.
bool BecomeRealtime() {
  sched_param parameters{};
  parameters.sched_priority = 1;
  return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0;
}

uint64_t Nanoseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_usec) * 1000;
}

}  // namespace

Recorder::Recorder(RecordOptions options) : options_(std::move(options)) {
  terminal_ = isatty(STDERR_FILENO) == 1;
}

util::Result<capture::ProgramOptions> Recorder::MakeProgramOptions(
    const capture::KernelFeatures& features) {
  capture::ProgramOptions programs;
  capture::CategorySelection& selection = options_.categories;
  for (const capture::Category& category : capture::AllCategories()) {
    if (!selection.wanted.test(category.id)) continue;
    std::string why_not = features.WhyNot(category);
    if (why_not.empty()) continue;
    if (selection.by_name.test(category.id)) {
      return util::Error{
          fmt::format("category '{}' cannot be recorded: {}", category.name, why_not),
          "fxt-record --list-categories shows what can"};
    }
    selection.wanted.reset(category.id);
    PrintNote(kProgram, fmt::format("without category '{}': {}", category.name, why_not));
  }
  programs.categories = selection.wanted;
  for (const std::string& name : selection.syscalls) {
    auto number = util::SyscallNumber(name);
    if (!number) {
      return util::Error{fmt::format("this machine has no system call '{}'", name),
                         "names are those of section 2 of the manual, such as futex or openat"};
    }
    programs.syscall_numbers.push_back(*number);
  }
  programs.sched_events = selection.sched_events;
  programs.filter.tids = options_.tids;
  programs.filter.tgids = options_.tgids;
  programs.filter.comms = options_.comms;
  programs.filter.follow = options_.follow;
  programs.filter.chosen = options_.only_command;
  for (const std::string& path : options_.cgroups) {
    auto id = identities_.CgroupId(path);
    if (!id) {
      return util::Error{fmt::format("there is no cgroup '{}' in the default hierarchy", path),
                         "give its path below the cgroup2 mount, as in /proc/PID/cgroup"};
    }
    programs.filter.cgroups.push_back(*id);
  }
  programs.ring_bytes = options_.buffer_bytes;
  if (programs.ring_bytes == 0 && !realtime_) {
    // Without real-time priority the recorder may have to wait its turn for longer.
    uint32_t cpus = util::ReadMachineInfo().cpus;
    programs.ring_bytes = 2 * capture::DefaultRingBytes(cpus);
  }
  programs.verbose = options_.verbose;
  return programs;
}

util::Status Recorder::OpenBranches() {
  capture::CategorySelection& selection = options_.categories;
  if (!selection.wanted.test(FXR_CATEGORY_LBR)) return util::Ok();
  auto branches = capture::BranchRecorder::Open(options_.lbr);
  if (branches) {
    branches_ = std::move(*branches);
    return util::Ok();
  }
  if (selection.by_name.test(FXR_CATEGORY_LBR)) return branches.error();
  selection.wanted.reset(FXR_CATEGORY_LBR);
  PrintNote(kProgram, fmt::format("without category 'lbr': {}", branches.error().message));
  return util::Ok();
}

util::Status Recorder::KeepBranches() {
  if (!branches_) return util::Ok();
  if (!session_->in_process_namespace()) {
    session_->RecordBranches(std::move(branches_));
    return util::Ok();
  }
  constexpr const char* kWhy = "in a process namespace perf does not tell whose a stack is";
  if (options_.categories.by_name.test(FXR_CATEGORY_LBR)) {
    return util::Error{fmt::format("category 'lbr' cannot be recorded: {}", kWhy),
                       "record it from outside of the container"};
  }
  branches_.reset();
  options_.categories.wanted.reset(FXR_CATEGORY_LBR);
  PrintNote(kProgram, fmt::format("without category 'lbr': {}", kWhy));
  return util::Ok();
}

util::Status Recorder::OpenOutput() {
  auto sink = sink::OpenSink(
      {.path = options_.output, .gzip = options_.gzip, .gzip_effort = {.may_fall = true}});
  if (!sink) return sink.error();
  sink_ = std::move(*sink);
  return util::Ok();
}

util::Status Recorder::Start() {
  archive_.emplace(*sink_);
  writer_.emplace(*archive_, "fxt-record");
  const util::MachineInfo machine = util::ReadMachineInfo();
  translate::SessionInfo info;
  info.version = FXT_RECORD_VERSION;
  info.kernel = machine.kernel;
  info.machine = machine.machine;
  info.cpu_model = machine.cpu_model;
  info.cpus = machine.cpus;
  info.host = machine.host;
  info.command = options_.command_line;
  info.categories = capture::DescribeCategories(options_.categories);
  std::vector<std::string> filters;
  const auto describe = [&](std::string_view name, const std::vector<uint32_t>& asked,
                            const std::vector<uint32_t>& ids) {
    for (size_t i = 0; i < asked.size(); ++i) {
      const bool known = ids[i] != capture::kNoTask;
      // With the ids that are in the file.
      filters.push_back(known ? fmt::format("{}={}", name, ids[i]) : fmt::format("{}=?", name));
      if (known && session_->in_process_namespace()) {
        PrintNote(kProgram, fmt::format("--{} {} of this process namespace is {} in the file", name,
                                        asked[i], ids[i]));
      }
    }
  };
  describe("pid", options_.tids, session_->filter().tids);
  describe("tgid", options_.tgids, session_->filter().tgids);
  for (const std::string& comm : options_.comms) filters.push_back("comm=" + comm);
  for (const std::string& cgroup : options_.cgroups) filters.push_back("cgroup=" + cgroup);
  if (options_.only_command) filters.push_back("only-command");
  if (options_.follow) filters.push_back("follow");
  info.filters = fmt::format("{}", fmt::join(filters, ","));
  info.interrupt_wakers = capture::DescribeInterruptWakers(session_->contextless_cpus(), info.cpus);
  info.start_time = util::WallClockNow();
  info.ring_bytes = session_->ring_bytes();
  if (util::Status status = session_->Start(*writer_, info); !status) return status;
  start_bytes_ = archive_->bytes();
  begin_ = util::MonotonicNow();
  WarnOfFilters();
  if (child_) return child_->Release();
  return util::Ok();
}

// Said and not refused: who is asked for may be still to come.
void Recorder::WarnOfFilters() const {
  const capture::FilterMatches& matches = session_->filter_matches();
  const auto warn = [](std::string_view option, const auto& value, std::string_view what) {
    PrintNote(kProgram, fmt::format("warning: {} {}: at the start {}", option, value, what));
  };
  for (size_t i = 0; i < options_.tids.size(); ++i) {
    if (!matches.tid(i)) warn("--pid", options_.tids[i], "there is no such thread");
  }
  for (size_t i = 0; i < options_.tgids.size(); ++i) {
    if (!matches.tgid(i)) warn("--tgid", options_.tgids[i], "there is no such process");
  }
  for (size_t i = 0; i < options_.comms.size(); ++i) {
    if (!matches.comm(i)) warn("--comm", options_.comms[i], "no thread has this name");
  }
  for (size_t i = 0; i < options_.cgroups.size(); ++i) {
    if (!matches.cgroup(i)) warn("--cgroup", options_.cgroups[i], "there is no task in it");
  }
  if (options_.follow && options_.tids.empty() && options_.tgids.empty() &&
      options_.comms.empty() && !options_.quiet) {
    PrintNote(kProgram, "--follow changes nothing here: it is for --pid, --tgid and --comm");
  }
}

Recorder::Reason Recorder::Loop() {
  const uint64_t deadline = options_.duration ? begin_ + options_.duration : UINT64_MAX;
  uint64_t flush_at = begin_ + kFlushInterval;
  uint64_t progress_at = begin_;
  bool drained = true;
  for (;;) {
    std::vector<pollfd> fds = {pollfd{session_->wakeup_fd(), POLLIN, 0},
                               pollfd{signals_.get(), POLLIN, 0}};
    for (int fd : session_->branch_fds()) fds.push_back({fd, POLLIN, 0});
    uint64_t now = util::MonotonicNow();
    int timeout = session_->is_quiet() ? kQuietPollMs : kPollMs;
    if (deadline != UINT64_MAX) {
      uint64_t left = deadline > now ? (deadline - now + 999'999) / 1'000'000 : 0;
      timeout = static_cast<int>(std::min<uint64_t>(left, static_cast<uint64_t>(timeout)));
    }
    if (!drained) {
      // The ring's descriptor stays readable while an event in it is being written, and the task
      // that writes it may be waiting for this CPU.
      fds[0].fd = -1;
      timeout = std::min(timeout, kUnfinishedMs);
    }
    poll(fds.data(), fds.size(), timeout);
    drained = session_->Drain();
    if (const std::string problem = session_->TakeBranchProblem(); !problem.empty()) {
      PrintNote(kProgram, problem);
    }
    now = util::MonotonicNow();
    if (now >= flush_at) {
      flush_at = now + kFlushInterval;
      if (archive_->Flush()) sink_->Flush();
    }
    if (archive_->failed()) return Reason::kOutputFailed;
    if (on_terminal() && !options_.quiet && now >= progress_at) {
      progress_at = now + kProgressInterval;
      ShowProgress(now);
    }
    if (fds[1].revents & POLLIN) {
      signalfd_siginfo info{};
      if (read(signals_.get(), &info, sizeof(info)) == sizeof(info) && info.ssi_signo != SIGCHLD) {
        signal_ = static_cast<int>(info.ssi_signo);
        return Reason::kSignal;
      }
    }
    if (child_ && child_->Poll()) return Reason::kCommandEnded;
    if (now >= deadline) return Reason::kDuration;
  }
}

void Recorder::ShowProgress(uint64_t now) {
  const translate::TranslationStats& stats = session_->translator().stats();
  uint64_t events = 0;
  for (uint64_t count : stats.events) events += count;
  uint64_t lost = 0;
  for (uint64_t count : stats.lost) lost += count;
  double seconds = static_cast<double>(now - (shown_at_ ? shown_at_ : begin_)) / 1e9;
  double rate = seconds > 0 ? static_cast<double>(events - shown_events_) / seconds : 0;
  Tell(fmt::format("\r{}: {}  {} events/s  {}  lost {}  fullest ring {}%\x1b[K", kProgram,
                   util::FormatDuration(now - begin_),
                   util::FormatCount(static_cast<uint64_t>(rate)),
                   util::FormatSize(archive_->bytes()), util::FormatCount(lost),
                   session_->fullest_ring_percent()));
  line_shown_ = true;
  shown_events_ = events;
  shown_at_ = now;
}

Summary Recorder::MakeSummary(bool output_failed) const {
  Summary summary;
  summary.output_failed = output_failed;
  summary.output_bytes = sink_->bytes_accepted();
  summary.output = options_.output;
  summary.duration = session_end_ - session_->start_time();
  summary.file_bytes = sink_->bytes_on_disk();
  summary.record_bytes = archive_->bytes();
  summary.start_bytes = start_bytes_;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  summary.cpu_time = Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime);
  summary.peak_memory = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  summary.rings = session_->ring_count();
  summary.ring_bytes = session_->ring_bytes();
  summary.realtime = realtime_;
  summary.capture = session_->stats();
  summary.translation = session_->translator().stats();
  summary.refused_records = session_->translator().refused_records();
  summary.thread_tables = writer_->thread_stats().tables_opened;
  summary.threads_alive = session_->translator().task_table().thread_count();
  summary.lost = session_->translator().losses().totals();
  return summary;
}

int Recorder::Run() {
  std::string program;
  if (!options_.command.empty()) {
    int exit_code = 0;
    auto found = ChildProcess::FindProgram(options_.command.front(), &exit_code);
    if (!found) {
      PrintError(kProgram, found.error());
      return exit_code;
    }
    program = *found;
  }
  auto fail = [](const util::Error& error) {
    PrintError(kProgram, error);
    return kExitFailure;
  };
  auto features = capture::ProbeKernel();
  if (!features) return fail(features.error());
  realtime_ = BecomeRealtime();
  if (util::Status status = OpenBranches(); !status) return fail(status.error());
  auto programs = MakeProgramOptions(*features);
  if (!programs) return fail(programs.error());

  // Both are told by write(2) as well, and then they are an error among others.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = util::UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));

  auto session = capture::CaptureSession::Initialize(*programs, *features, identities_);
  if (!session) return fail(session.error());
  session_ = std::move(*session);
  if (util::Status status = KeepBranches(); !status) return fail(status.error());
  if (util::Status status = OpenOutput(); !status) return fail(status.error());
  if (!program.empty()) {
    auto child = ChildProcess::Prepare(options_.command, program, options_.output == "-");
    if (!child) return fail(child.error());
    child_.emplace(std::move(*child));
    if (options_.only_command) session_->Follow(static_cast<uint32_t>(child_->pid()));
  }
  if (!realtime_ && !options_.quiet) {
    PrintNote(kProgram,
              "no right to real-time priority: a busy machine may keep the recorder waiting");
  }
  int exit_code = 0;
  Reason reason = Reason::kOutputFailed;
  if (util::Status status = Start(); !status) {
    PrintError(kProgram, status.error());
    // A command that was let go and cannot be run has its own exit code; one that was not, goes.
    exit_code = child_ && child_->released() ? child_->Wait() : kExitFailure;
    if (exit_code == 0) exit_code = kExitFailure;
    child_.reset();
  } else {
    if (!options_.quiet && options_.command.empty() && options_.duration == 0) {
      PrintNote(kProgram, "recording; Ctrl-C ends it");
    }
    reason = Loop();
  }
  session_end_ = session_->Stop();
  if (line_shown_) Tell("\r\x1b[K");
  const bool written = archive_->Flush();
  util::Status closed = sink_->Close();
  if (!closed) {
    PrintError(kProgram, closed.error());
    exit_code = kExitFailure;
  } else if (!written) {
    PrintError(kProgram, {fmt::format("cannot write {}", options_.output), ""});
    exit_code = kExitFailure;
  }
  Finish(reason, !closed || !written);
  if (child_ && exit_code == 0) {
    if (reason != Reason::kCommandEnded) {
      // perf's manner: who stops the recording stops what was recorded.
      if (reason == Reason::kSignal) child_->Terminate();
    }
    exit_code = child_->Wait();
  }
  return exit_code;
}

void Recorder::Finish(Reason reason, bool output_failed) {
  if (begin_ == 0) return;
  const Summary summary = MakeSummary(output_failed);
  if (options_.quiet) {
    PrintLosses(summary);
  } else {
    if (reason == Reason::kSignal) {
      PrintNote(kProgram, fmt::format("stopped by {}", strsignal(signal_)));
    }
    PrintSummary(summary);
  }
  if (options_.stats_json.empty()) return;
  if (util::Status status = WriteSummaryJson(summary, options_.stats_json); !status) {
    PrintError(kProgram, status.error());
  }
}

int ListCategories() {
  auto features = capture::ProbeKernel();
  if (!features) {
    PrintError(kProgram, features.error());
    return kExitFailure;
  }
  // Known only to programs that run.
  capture::ProgramOptions smallest;
  smallest.ring_bytes = capture::kMinRingBytes;
  auto programs = capture::BpfPrograms::Load(smallest, *features);
  if (!programs) {
    PrintError(kProgram, programs.error());
    return kExitFailure;
  }
  const std::string wakers = capture::DescribeInterruptWakers(
      (*programs)->contextless_cpus(), static_cast<uint32_t>(util::ReadCpuList("online").size()));
  std::string list =
      fmt::format("{:<9} {:<42} {:<8} {}\n", "NAME", "DESCRIPTION", "DEFAULT", "THIS KERNEL");
  for (const capture::Category& category : capture::AllCategories()) {
    std::string why_not = features->WhyNot(category);
    if (category.id == FXR_CATEGORY_LBR) {
      if (auto branches = capture::BranchRecorder::Open({}); !branches) {
        why_not = branches.error().message;
      }
    }
    const std::string available = category.id == FXR_CATEGORY_SCHED
                                      ? "available; wakers in interrupts are " + wakers
                                      : "available";
    list += fmt::format("{:<9} {:<42} {:<8} {}\n", category.name, category.description,
                        category.by_default ? "yes" : "no",
                        why_not.empty() ? available : "not available: " + why_not);
  }
  if (std::fputs(list.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    PrintError(kProgram, {fmt::format("cannot write standard output: {}", strerror(errno)), ""});
    return kExitFailure;
  }
  return 0;
}

}  // namespace tools
