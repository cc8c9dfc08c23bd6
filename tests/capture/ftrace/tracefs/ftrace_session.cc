// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/tracefs/ftrace_session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "capture/ftrace/tracefs/event_format.h"
#include "capture/ftrace/tracefs/ring_page.h"
#include "capture/ftrace/tracefs/trace_fs.h"
#include "capture/support/clock.h"

namespace truth {
namespace {

constexpr char kInstancePrefix[] = "fxt_truth_";
constexpr const char* kEvents[] = {"sched/sched_switch", "sched/sched_process_fork",
                                   "sched/sched_process_exec", "task/task_rename"};

struct DirCloser {
  void operator()(DIR* dir) const { closedir(dir); }
};

std::vector<std::string> Entries(int directory, const std::string& path) {
  std::vector<std::string> names;
  const int fd = openat(directory, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return names;
  std::unique_ptr<DIR, DirCloser> dir(fdopendir(fd));
  while (const dirent* entry = readdir(dir.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

std::optional<uint64_t> ParseNumber(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

void RemoveStaleInstances(int root) {
  for (const std::string& name : Entries(root, "instances")) {
    if (!name.starts_with(kInstancePrefix)) continue;
    const auto owner = ParseNumber(std::string_view(name).substr(strlen(kInstancePrefix)));
    if (owner && kill(static_cast<pid_t>(*owner), 0) != 0 && errno == ESRCH) {
      unlinkat(root, ("instances/" + name).c_str(), AT_REMOVEDIR);
    }
  }
}

uint64_t Statistic(std::string_view stats, std::string_view key) {
  const size_t at = stats.find(key);
  if (at == std::string_view::npos) return 0;
  return ParseNumber(stats.substr(at + key.size())).value_or(0);
}

// Thread ids of every process, ascending.
std::vector<int32_t> AllThreads() {
  std::vector<int32_t> tids;
  for (const std::string& process : Entries(AT_FDCWD, "/proc")) {
    if (!ParseNumber(process)) continue;
    for (const std::string& thread : Entries(AT_FDCWD, "/proc/" + process + "/task")) {
      if (const auto tid = ParseNumber(thread)) tids.push_back(static_cast<int32_t>(*tid));
    }
  }
  std::sort(tids.begin(), tids.end());
  return tids;
}

// Decodes payloads into entries of the log by the format files of this kernel.
class Decoder {
 public:
  static util::Result<Decoder> Create(int root) {
    Decoder decoder;
    struct Wanted {
      const char* path;
      EventFormat* format;
    };
    for (const Wanted& wanted : {Wanted{"sched/sched_switch", &decoder.switch_},
                                 Wanted{"sched/sched_process_fork", &decoder.fork_},
                                 Wanted{"sched/sched_process_exec", &decoder.exec_},
                                 Wanted{"task/task_rename", &decoder.rename_}}) {
      auto text = ReadFileAt(root, fmt::format("events/{}/format", wanted.path));
      if (!text.ok()) return text.TakeError();
      auto format = ParseEventFormat(*text);
      if (!format.ok()) return format.TakeError();
      *wanted.format = std::move(*format);
    }
    auto letters = StateLetters::Parse(decoder.switch_.print_format);
    if (!letters.ok()) return letters.TakeError();
    decoder.letters_ = std::move(*letters);
    const bool complete = decoder.Bind(&decoder.prev_tid_, decoder.switch_, "prev_pid") &&
                          decoder.Bind(&decoder.prev_priority_, decoder.switch_, "prev_prio") &&
                          decoder.Bind(&decoder.prev_state_, decoder.switch_, "prev_state") &&
                          decoder.Bind(&decoder.prev_comm_, decoder.switch_, "prev_comm") &&
                          decoder.Bind(&decoder.next_tid_, decoder.switch_, "next_pid") &&
                          decoder.Bind(&decoder.next_priority_, decoder.switch_, "next_prio") &&
                          decoder.Bind(&decoder.next_comm_, decoder.switch_, "next_comm") &&
                          decoder.Bind(&decoder.type_, decoder.switch_, "common_type") &&
                          decoder.Bind(&decoder.by_tid_, decoder.switch_, "common_pid") &&
                          decoder.Bind(&decoder.parent_tid_, decoder.fork_, "parent_pid") &&
                          decoder.Bind(&decoder.child_tid_, decoder.fork_, "child_pid") &&
                          decoder.Bind(&decoder.exec_tid_, decoder.exec_, "pid") &&
                          decoder.Bind(&decoder.exec_old_tid_, decoder.exec_, "old_pid") &&
                          decoder.Bind(&decoder.old_comm_, decoder.rename_, "oldcomm") &&
                          decoder.Bind(&decoder.new_comm_, decoder.rename_, "newcomm");
    if (!complete) return util::Error{"an event of this kernel lacks an expected field", ""};
    // The field is missing on kernels where only the task itself can change its name here.
    if (const FormatField* tid = decoder.rename_.Find("pid")) decoder.renamed_tid_ = *tid;
    return decoder;
  }

  void Decode(uint32_t cpu, uint64_t time_ns, std::span<const std::byte> payload, SwitchLog* log) {
    const int64_t type = Integer(type_, payload);
    if (type == switch_.id) {
      Switch s;
      s.time_ns = time_ns;
      s.prev_tid = static_cast<int32_t>(Integer(prev_tid_, payload));
      s.next_tid = static_cast<int32_t>(Integer(next_tid_, payload));
      s.prev_priority = static_cast<int16_t>(Integer(prev_priority_, payload));
      s.next_priority = static_cast<int16_t>(Integer(next_priority_, payload));
      s.prev_state = letters_.Letter(static_cast<uint64_t>(Integer(prev_state_, payload)));
      s.prev_name = log->names.Intern(ReadCharArray(prev_comm_, payload));
      s.next_name = log->names.Intern(ReadCharArray(next_comm_, payload));
      log->cpus[cpu].push_back(s);
    } else if (type == fork_.id) {
      log->births.push_back({time_ns, static_cast<int32_t>(Integer(parent_tid_, payload)),
                             static_cast<int32_t>(Integer(child_tid_, payload))});
    } else if (type == exec_.id) {
      const auto tid = static_cast<int32_t>(Integer(exec_tid_, payload));
      const auto old_tid = static_cast<int32_t>(Integer(exec_old_tid_, payload));
      if (tid != old_tid) log->takeovers.push_back({time_ns, old_tid, tid});
    } else if (type == rename_.id) {
      const auto by = static_cast<int32_t>(Integer(by_tid_, payload));
      const auto tid = renamed_tid_ ? static_cast<int32_t>(Integer(*renamed_tid_, payload)) : by;
      log->renames.push_back({time_ns, cpu, by, tid,
                              log->names.Intern(ReadCharArray(old_comm_, payload)),
                              log->names.Intern(ReadCharArray(new_comm_, payload))});
    }
  }

 private:
  static bool Bind(FormatField* field, const EventFormat& format, std::string_view name) {
    const FormatField* found = format.Find(name);
    if (found) *field = *found;
    return found != nullptr;
  }
  static int64_t Integer(const FormatField& field, std::span<const std::byte> payload) {
    return ReadInteger(field, payload).value_or(-1);
  }

  EventFormat switch_, fork_, exec_, rename_;
  StateLetters letters_;
  FormatField type_, by_tid_;  // the same in every event
  FormatField prev_tid_, prev_priority_, prev_state_, prev_comm_;
  FormatField next_tid_, next_priority_, next_comm_;
  FormatField parent_tid_, child_tid_;
  FormatField exec_tid_, exec_old_tid_;
  FormatField old_comm_, new_comm_;
  std::optional<FormatField> renamed_tid_;
};

}  // namespace

uint64_t FtraceLog::lost() const {
  uint64_t lost = 0;
  for (const FtraceCpuLoss& cpu : loss) lost += cpu.total();
  return lost;
}

util::Result<FtraceSession> FtraceSession::Create(const Options& options) {
  return Make(options, {std::begin(kEvents), std::end(kEvents)});
}

util::Result<FtraceSession> FtraceSession::CreateSecond(const Options& options) {
  return Make(options, {});
}

util::Status FtraceSession::StartSecond(const std::string& name) {
  auto root = OpenTraceFs();
  if (!root.ok()) return root.TakeError();
  const std::string instance = "instances/" + name + "/";
  if (auto status = WriteFileAt(root->get(), instance + "events/sched/sched_switch/enable", "1");
      !status.ok()) {
    return status;
  }
  return WriteFileAt(root->get(), instance + "tracing_on", "1");
}

util::Status FtraceSession::TakeSecond(FtraceSession* second, SwitchLog* log) {
  if (auto status = second->Stop(); !status.ok()) return status;
  auto collected = second->Collect();
  if (!collected.ok()) return collected.TakeError();
  log->second_stamps.resize(std::min(collected->log.cpus.size(), log->cpus.size()));
  for (size_t cpu = 0; cpu < log->second_stamps.size(); ++cpu) {
    for (const Switch& s : collected->log.cpus[cpu]) {
      log->second_stamps[cpu].push_back({s.time_ns, s.prev_tid, s.next_tid});
    }
  }
  return util::Ok();
}

util::Result<FtraceSession> FtraceSession::Make(const Options& options,
                                                const std::vector<std::string>& events) {
  auto root = OpenTraceFs();
  if (!root.ok()) return root.TakeError();
  RemoveStaleInstances(root->get());
  // A process may have several instances.
  std::string name = fmt::format("{}{}", kInstancePrefix, getpid());
  for (int n = 1; mkdirat(root->get(), ("instances/" + name).c_str(), 0700) != 0; ++n) {
    if (errno != EEXIST || n > 16) {
      return util::Error{fmt::format("cannot make an ftrace instance: {}", strerror(errno)), ""};
    }
    name = fmt::format("{}{}_{}", kInstancePrefix, getpid(), n);
  }
  FtraceSession session(std::move(*root), std::move(name));
  const int fd = session.root_.get();
  for (const auto& [file, text] : {std::pair<std::string, std::string>{"tracing_on", "0"},
                                   {"trace_clock", "boot"},
                                   {"buffer_size_kb", std::to_string(options.buffer_kib)},
                                   // Without overwriting, the kept events have no gap.
                                   {"options/overwrite", "0"}}) {
    if (auto status = WriteFileAt(fd, session.Path(file), text); !status.ok()) {
      return status.TakeError();
    }
  }
  for (const std::string& event : events) {
    const std::string file = session.Path(fmt::format("events/{}/enable", event));
    if (auto status = WriteFileAt(fd, file, "1"); !status.ok()) return status.TakeError();
  }
  return session;
}

FtraceSession::FtraceSession(FtraceSession&& other) noexcept
    : root_(std::move(other.root_)),
      name_(std::exchange(other.name_, {})),
      init_tids_(std::move(other.init_tids_)),
      first_tids_(std::move(other.first_tids_)),
      begin_ns_(other.begin_ns_),
      end_ns_(other.end_ns_) {}

FtraceSession::~FtraceSession() {
  if (name_.empty()) return;
  const std::string path = "instances/" + name_;
  // The instance is busy until the readers of its files are closed.
  for (int attempt = 0; attempt < 50; ++attempt) {
    if (unlinkat(root_.get(), path.c_str(), AT_REMOVEDIR) == 0 || errno != EBUSY) return;
    usleep(10'000);
  }
}

util::Status FtraceSession::Start() {
  NoteInitThreads();
  auto status = WriteFileAt(root_.get(), Path("tracing_on"), "1");
  first_tids_ = AllThreads();
  begin_ns_ = BootTimeNs();
  return status;
}

util::Status FtraceSession::Stop() {
  end_ns_ = BootTimeNs();
  auto status = WriteFileAt(root_.get(), Path("tracing_on"), "0");
  NoteInitThreads();
  return status;
}

void FtraceSession::NoteInitThreads() {
  for (const std::string& name : Entries(AT_FDCWD, "/proc/1/task")) {
    if (const auto tid = ParseNumber(name)) init_tids_.push_back(static_cast<int32_t>(*tid));
  }
  std::sort(init_tids_.begin(), init_tids_.end());
  init_tids_.erase(std::unique(init_tids_.begin(), init_tids_.end()), init_tids_.end());
}

util::Result<std::string> FtraceSession::ReadText() const {
  return ReadFileAt(root_.get(), Path("trace"));
}

util::Result<FtraceLog> FtraceSession::Collect() {
  auto header = ReadFileAt(root_.get(), "events/header_page");
  if (!header.ok()) return header.TakeError();
  auto layout = PageLayout::Parse(*header);
  if (!layout.ok()) return layout.TakeError();
  auto decoder = Decoder::Create(root_.get());
  if (!decoder.ok()) return decoder.TakeError();

  FtraceLog result;
  std::vector<std::byte> page(layout->page_bytes());
  for (const std::string& entry : Entries(root_.get(), Path("per_cpu"))) {
    const auto cpu = ParseNumber(std::string_view(entry).substr(3));
    if (!entry.starts_with("cpu") || !cpu) continue;
    if (*cpu >= result.log.cpus.size()) {
      result.log.cpus.resize(*cpu + 1);
      result.loss.resize(*cpu + 1);
    }
    auto stats = ReadFileAt(root_.get(), Path(fmt::format("per_cpu/{}/stats", entry)));
    if (!stats.ok()) return stats.TakeError();
    FtraceCpuLoss& loss = result.loss[*cpu];
    loss.commit_overrun = Statistic(*stats, "commit overrun: ");
    loss.overrun = Statistic(*stats, "\noverrun: ");
    loss.dropped = Statistic(*stats, "dropped events: ");

    const std::string raw_path = Path(fmt::format("per_cpu/{}/trace_pipe_raw", entry));
    util::UniqueFd raw(openat(root_.get(), raw_path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!raw) return util::Error{fmt::format("cannot open {}: {}", raw_path, strerror(errno)), ""};
    for (;;) {
      const ssize_t got = read(raw.get(), page.data(), page.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) break;
      // A possible CPU that was never online has a folder but no buffer.
      if (got < 0 && errno == ENODEV) break;
      if (got < 0)
        return util::Error{fmt::format("cannot read {}: {}", raw_path, strerror(errno)), ""};
      if (got == 0) break;
      const auto visited =
          VisitPage(*layout, std::span(page).first(static_cast<size_t>(got)),
                    [&](uint64_t time_ns, std::span<const std::byte> payload) {
                      decoder->Decode(static_cast<uint32_t>(*cpu), time_ns, payload, &result.log);
                    });
      if (!visited.ok()) return visited.error();
      if (visited->missed) ++loss.missed_pages;
    }
  }
  const auto by_time = [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; };
  std::stable_sort(result.log.renames.begin(), result.log.renames.end(), by_time);
  std::stable_sort(result.log.births.begin(), result.log.births.end(), by_time);
  result.log.first_tids = first_tids_;
  result.log.init_tids = init_tids_;
  result.log.begin_ns = begin_ns_;
  result.log.end_ns = end_ns_;
  return result;
}

}  // namespace truth
