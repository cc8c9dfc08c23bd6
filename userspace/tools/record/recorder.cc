// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "session/translation.h"
#include "tools/record/options/filter_text.h"
#include "tools/record/options/program_choice.h"
#include "tools/record/options/session_description.h"
#include "tools/record/process/schedule.h"
#include "tools/record/progress.h"
#include "util/clock.h"
#include "util/cpu_list.h"
#include "util/machine_info.h"
#include "util/quantity.h"

namespace tools {
namespace {

// A ring that fills faster wakes the recorder by itself; so where little happens it may sleep for
// longer.
constexpr int kPollMs = 100;
constexpr int kQuietPollMs = 250;
constexpr int kUnfinishedMs = 1;
// What a kill can cost at most.
constexpr uint64_t kFlushInterval = 400'000'000;
// How long the end waits for a terminal or pipe that takes no message.

uint64_t Nanoseconds(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(time.tv_usec) * 1000;
}

}  // namespace

Recorder::Recorder(RecordOptions options) : options_(std::move(options)) {}

util::Result<capture::ProgramOptions> Recorder::ChoosePrograms(
    const capture::KernelFeatures& features) {
  std::vector<std::string> notes;
  const util::Status possible = LeaveOutImpossible(features, options_.categories, &notes);
  for (const std::string& note : notes) console_.Note(note);
  if (!possible) return possible.error();
  return MakeProgramOptions(options_, identities_, realtime_);
}

util::Status Recorder::OpenSources() {
  std::vector<std::string> notes;
  auto sources = capture::AddPerfSources(MakePerfSourceOptions(options_), *session_, &notes);
  for (const std::string& note : notes) console_.Note(note);
  if (!sources) return sources.TakeError();
  sources_ = std::move(*sources);
  options_.categories.wanted.set(FXR_CATEGORY_LBR, sources_.branches);
  return util::Ok();
}

util::Status Recorder::OpenOutput() {
  auto outputs = RecordOutputs::Open(options_, [this] { return KeepWaiting(); });
  if (!outputs) return outputs.error();
  outputs_.emplace(std::move(*outputs));
  if (options_.symbols && !outputs_->is_file()) {
    return util::Error{fmt::format("--symbols: {} is no file", options_.output),
                       "names are found at the end, in a file that can be read again"};
  }
  sink_ = outputs_->TakeSink();
  return util::Ok();
}

util::Status Recorder::Start() {
  archive_.emplace(*sink_);
  writer_.emplace(*archive_, "fxt-record");
  if (session_->in_process_namespace()) {
    for (const std::string& note : TranslationNotes(options_, session_->filter())) {
      console_.Note(note);
    }
  }
  tasks_.emplace(session_->identities(), session_->options().sees_switches());
  translator_.emplace(*writer_, *tasks_, session::TranslationOf(*session_, sources_));
  translator_->set_session_info(DescribeSession(
      options_, *session_, command_.exists() ? std::optional(command_.pid()) : std::nullopt));
  handler_.emplace(*translator_);
  if (providers_) {
    provider::ProviderSessionOptions options;
    options.categories = options_.provider_categories;
    providers_->Begin(*session_, *archive_, *translator_, std::move(options));
  }
  if (util::Status status = session_->Start(*handler_); !status) return status;
  start_bytes_ = archive_->bytes();
  const uint64_t begin = util::MonotonicNow();
  for (const std::string& warning : FilterWarnings(options_, session_->filter_matches())) {
    console_.Note(warning);
  }
  if (command_.exists()) {
    if (util::Status status = command_.Release(); !status) return status;
  }
  // Nothing that exists makes room for a recording that does not begin.
  if (util::Status status = outputs_->Publish(); !status) {
    command_.Cancel();
    return status;
  }
  begin_ = begin;
  if (options_.duration != 0) deadline_ = begin_ + options_.duration;
  {
    const std::lock_guard lock(end_mutex_);
    phase_ = Phase::kRecording;
    signals_to_give_up_ = 2;
  }
  return util::Ok();
}

// Asked by whoever waits for the reader of a pipe, on any thread. The recording ends meanwhile when
// it has to: what happens later is none of it, however long its records wait.
bool Recorder::KeepWaiting() {
  signals_.Look();
  const std::lock_guard lock(end_mutex_);
  const bool asked = signals_.count() > 0;
  if (phase_ == Phase::kRecording && (asked || util::MonotonicNow() >= deadline_)) {
    session_->StopEvents();
    EnterEnd(asked);
  }
  return signals_.count() < signals_to_give_up_;
}

// Who ended the recording by a signal has to send another one to end the waits after it.
void Recorder::EnterEnd(bool by_signal) {
  if (phase_ != Phase::kRecording) return;
  phase_ = Phase::kEnding;
  signals_to_give_up_ = by_signal ? 2 : 1;
}

void Recorder::Wait(bool drained) {
  std::vector<pollfd> fds = {pollfd{session_->wakeup_fd(), POLLIN, 0},
                             pollfd{signals_.fd(), POLLIN, 0}};
  for (int fd : session_->perf_fds()) fds.push_back({fd, POLLIN, 0});
  const uint64_t now = util::MonotonicNow();
  int timeout = session_->is_quiet() ? kQuietPollMs : kPollMs;
  if (providers_) {
    providers_->AddPollFds(fds);
    timeout = std::min({timeout, providers_->TimeoutMs(), kPollMs});
  }
  if (deadline_ != UINT64_MAX) {
    const uint64_t left = deadline_ > now ? (deadline_ - now + 999'999) / 1'000'000 : 0;
    timeout = static_cast<int>(std::min<uint64_t>(left, static_cast<uint64_t>(timeout)));
  }
  if (!drained) {
    // The ring's descriptor stays readable while an event in it is being written, and the task
    // that writes it may be waiting for this CPU.
    fds[0].fd = -1;
    timeout = std::min(timeout, kUnfinishedMs);
  }
  poll(fds.data(), fds.size(), timeout);
  if (providers_) providers_->Turn(fds);
}

std::optional<Recorder::Reason> Recorder::ReasonToEnd(uint64_t now) {
  if (archive_->failed()) return Reason::kOutputFailed;
  signals_.Look();
  if (signals_.count() > 0) return Reason::kSignal;
  if (command_.exists() && command_.Poll()) return Reason::kCommandEnded;
  if (now >= deadline_) return Reason::kDuration;
  return std::nullopt;
}

Recorder::Reason Recorder::Loop() {
  uint64_t flush_at = begin_ + kFlushInterval;
  Progress progress(begin_);
  bool drained = true;
  for (;;) {
    Wait(drained);
    drained = session_->Drain();
    if (const std::string problem = session_->TakePerfProblem(); !problem.empty()) {
      console_.Note(problem);
    }
    const uint64_t now = util::MonotonicNow();
    if (now >= flush_at) {
      flush_at = now + kFlushInterval;
      if (archive_->Flush()) sink_->Flush();
    }
    if (console_.on_terminal() && !options_.quiet) {
      progress.Update(now, *session_, translator_->stats(), archive_->bytes(), console_);
    }
    if (const auto reason = ReasonToEnd(now)) return *reason;
  }
}

Totals Recorder::CountTotals(bool output_failed) const {
  Totals totals;
  totals.output_failed = output_failed;
  totals.output_bytes = sink_->bytes_accepted();
  totals.output = options_.output;
  totals.duration = session_end_ - session_->start_time();
  totals.file_bytes = sink_->bytes_on_disk();
  totals.record_bytes = archive_->bytes();
  totals.start_bytes = start_bytes_;
  if (names_) {
    totals.file_bytes = names_->file_bytes;
    totals.record_bytes = names_->record_bytes;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  totals.cpu_time = Nanoseconds(usage.ru_utime) + Nanoseconds(usage.ru_stime);
  totals.peak_memory = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  totals.rings = session_->ring_count();
  totals.ring_bytes = session_->ring_bytes();
  totals.side_ring_bytes = session_->side_ring_bytes();
  totals.kernel_memory = session_->kernel_memory_bytes();
  totals.realtime = realtime_;
  totals.capture = session_->stats();
  totals.translation = translator_->stats();
  totals.refused_records = translator_->refused_records();
  totals.thread_tables = writer_->thread_stats().tables_opened;
  totals.threads_alive = translator_->task_table().thread_count();
  totals.lost = translator_->losses().totals();
  return totals;
}

int Recorder::Run() {
  const int exit_code = RunQuietly();
  console_.Finish(kConsoleTimeout);
  return exit_code;
}

int Recorder::Fail(const util::Error& error, int exit_code) {
  console_.Error(error);
  return exit_code;
}

int Recorder::RunQuietly() {
  if (auto exit_code = command_.Prepare(options_)) return *exit_code;
  signals_.Take();
  auto features = capture::ProbeKernel();
  if (!features) return Fail(features.error());
  realtime_ = BecomeRealtime();
  auto programs = ChoosePrograms(*features);
  if (!programs) return Fail(programs.error());
  auto session = capture::CaptureSession::Initialize(*programs, *features, identities_);
  features->types.reset();
  if (!session) return Fail(session.error());
  session_ = std::move(*session);
  if (util::Status status = OpenSources(); !status) return Fail(status.error());
  if (util::Status status = OpenOutput(); !status) return Fail(status.error());
  if (options_.providers) {
    auto providers = ProviderHost::Listen(options_.socket);
    if (!providers) return Fail(providers.error());
    providers_ = std::move(*providers);
  }
  if (command_.exists() && options_.only_command) {
    session_->Follow(static_cast<uint32_t>(command_.pid()));
  }
  if (!realtime_ && !options_.quiet) {
    console_.Note("no right to real-time priority: a busy machine may keep the recorder waiting");
  }
  if (util::Status status = Start(); !status) return FailToStart(status.error());
  if (!options_.quiet && options_.command.empty() && options_.duration == 0) {
    console_.Note("recording; Ctrl-C ends it");
  }
  const Reason reason = Loop();
  const bool written = End(reason);
  const int command_status = command_.exists() ? command_.WaitForEnd() : 0;
  return written ? command_status : kExitFailure;
}

int Recorder::FailToStart(const util::Error& error) {
  console_.Error(error);
  // A command that was let go and cannot be run has its own exit code; one that was not, goes.
  const int exit_code = command_.ExitAfterFailure();
  End(Reason::kOutputFailed);
  return exit_code;
}

bool Recorder::End(Reason reason) {
  {
    const std::lock_guard lock(end_mutex_);
    EnterEnd(reason == Reason::kSignal);
  }
  if (providers_) providers_->Stop();
  session_end_ = session_->Stop();
  if (const std::string note = session_->DescribeMultiplexing(); !note.empty()) {
    console_.Note(note);
  }
  const bool flushed = archive_->Flush();
  const util::Status closed = sink_->Close();
  if (!closed) {
    console_.Error(closed.error());
  } else if (!flushed) {
    console_.Error({fmt::format("cannot write {}", options_.output), ""});
  }
  const bool written = closed.ok() && flushed;
  if (options_.symbols && written && begin_ != 0 && !FindNames()) return false;
  return Finish(reason, !written) && written;
}

// False if the file is without them.
bool Recorder::FindNames() {
  auto names = WriteSymbols(options_.output, options_.gzip, console_, [this] {
    signals_.Look();
    return signals_.count() < signals_to_give_up_;
  });
  if (!names) {
    console_.Error({fmt::format("no names: {}", names.error().message), names.error().hint});
    return false;
  }
  if (!options_.quiet) console_.Note(DescribeNames(*names));
  names_ = *names;
  return true;
}

bool Recorder::Finish(Reason reason, bool output_failed) {
  if (begin_ == 0) return true;
  const Totals totals = CountTotals(output_failed);
  if (options_.quiet) {
    PrintLosses(totals, console_);
  } else {
    if (reason == Reason::kSignal) {
      console_.Note(fmt::format("stopped by {}", strsignal(signals_.first())));
    }
    PrintTotals(totals, console_);
  }
  if (!outputs_->wants_stats()) return true;
  if (util::Status status = outputs_->WriteStats(TotalsJson(totals)); !status) {
    console_.Error(status.error());
    return false;
  }
  return true;
}

}  // namespace tools
