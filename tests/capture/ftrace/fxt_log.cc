// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/fxt_log.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "capture/ftrace/tracefs/event_format.h"
#include "capture/support/gunzip.h"
#include "fxt/reader.h"

namespace truth {
namespace {

// Thread ids have 22 bits (PID_MAX_LIMIT). The upper bits distinguish tasks with the same id.
constexpr unsigned kTidBits = 22;
constexpr fxt::Koid kTidMask = (fxt::Koid{1} << kTidBits) - 1;
constexpr fxt::Koid kIdleGeneration = 1023;
// The thread that stands for unknown tasks while events were lost.
constexpr fxt::Koid kLostGeneration = 1019;
constexpr size_t kProblemsKept = 20;

// The default letter of a thread state.
std::array<char, 6> UsualLetters() {
  std::array<char, 6> letters;
  letters.fill('?');
  letters[static_cast<size_t>(fxt::ThreadState::kNew)] = StateLetters::kPreempted;
  letters[static_cast<size_t>(fxt::ThreadState::kBlocked)] = 'S';
  letters[static_cast<size_t>(fxt::ThreadState::kSuspended)] = 'T';
  letters[static_cast<size_t>(fxt::ThreadState::kDying)] = 'Z';
  letters[static_cast<size_t>(fxt::ThreadState::kDead)] = 'X';
  return letters;
}

fxt::ThreadState FormatStateOf(char letter) {
  switch (letter) {
    case 'R':
    case StateLetters::kPreempted:
      return fxt::ThreadState::kNew;
    case 'T':
    case 't':
      return fxt::ThreadState::kSuspended;
    case 'Z':
      return fxt::ThreadState::kDying;
    case 'X':
      return fxt::ThreadState::kDead;
    default:
      return fxt::ThreadState::kBlocked;
  }
}

const fxt::Argument* FindArgument(std::span<const fxt::Argument> arguments, std::string_view name) {
  for (const fxt::Argument& argument : arguments) {
    if (argument.name.text == name) return &argument;
  }
  return nullptr;
}

// Any integer type.
std::optional<uint64_t> IntegerOf(const fxt::Argument* argument) {
  if (!argument) return std::nullopt;
  return std::visit(
      [](const auto& value) -> std::optional<uint64_t> {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          return static_cast<uint64_t>(value);
        } else {
          return std::nullopt;
        }
      },
      argument->value);
}

const char* TypeName(const fxt::Record& record) {
  static constexpr const char* kNames[] = {"magic numbers",
                                           "provider infos",
                                           "provider sections",
                                           "provider events",
                                           "trace infos",
                                           "initializations",
                                           "strings",
                                           "threads",
                                           "events",
                                           "blobs",
                                           "userspace objects",
                                           "kernel objects",
                                           "context switches",
                                           "new context switches",
                                           "wakeups",
                                           "log records",
                                           "large blobs",
                                           "large blobs",
                                           "modules",
                                           "mappings",
                                           "backtraces",
                                           "unknown records"};
  static_assert(std::size(kNames) == std::variant_size_v<fxt::Record>);
  return kNames[record.index()];
}

class Collector {
 public:
  explicit Collector(FxtLog* log) : log_(log) {}

  void Take(const fxt::Reader& reader) {
    const fxt::Record& record = reader.record();
    ++log_->records[TypeName(record)];
    const uint64_t bytes = reader.words().size_bytes();
    offset_ = reader.offset();
    if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
      Object(*object);
    } else if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record)) {
      log_->switch_bytes += bytes;
      TakeSwitch(reader.ToNanoseconds(legacy->timestamp), legacy->cpu, legacy->outgoing_state,
                 {legacy->outgoing.process, legacy->outgoing.thread, legacy->outgoing_priority},
                 {legacy->incoming.process, legacy->incoming.thread, legacy->incoming_priority});
    } else if (std::holds_alternative<fxt::ContextSwitch>(record)) {
      Problem("a context switch of the newer layout, for a CPU below 256");
    } else if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) {
      log_->wakeup_bytes += bytes;
      if (!IsIdle(wakeup->thread)) RequireName(wakeup->thread, "woken");
    } else if (const auto* event = std::get_if<fxt::Event>(&record)) {
      TakeEvent(reader.ToNanoseconds(event->timestamp), *event);
    } else if (std::holds_alternative<fxt::ProviderEvent>(record)) {
      ++log_->provider_events;
    }
  }

  void Problem(std::string text) {
    ++log_->problem_count;
    if (log_->problems.size() < kProblemsKept) {
      log_->problems.push_back(fmt::format("problem at byte {}: {}", offset_, text));
    }
  }

 private:
  struct Side {
    fxt::Koid process;
    fxt::Koid thread;
    uint8_t priority;
  };

  static bool IsIdle(fxt::Koid thread) { return thread >> kTidBits == kIdleGeneration; }

  void Object(const fxt::KernelObject& object) {
    if (object.type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess)) {
      processes_.insert(object.koid);
      return;
    }
    if (object.type != static_cast<uint8_t>(fxt::KernelObjectType::kThread)) return;
    const fxt::Argument* process = FindArgument(object.arguments, "process");
    const auto* koid = process ? std::get_if<fxt::KoidValue>(&process->value) : nullptr;
    if (!koid) {
      Problem(fmt::format("thread {} has no argument `process` of type koid", object.koid));
    }
    threads_.insert_or_assign(
        object.koid, Thread{log_->log.names.Intern(object.name.text), koid ? koid->koid : 0});
  }

  void RequireName(fxt::Koid thread, const char* role) {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) {
      Problem(fmt::format("thread {} is {} before it has a name", thread, role));
    } else if (!processes_.contains(found->second.process)) {
      Problem(fmt::format("thread {} is {} before its process {} has a name", thread, role,
                          found->second.process));
    }
  }

  uint32_t NameAt(const Side& side, const char* role) {
    const auto found = threads_.find(side.thread);
    if (found == threads_.end()) {
      RequireName(side.thread, role);
      return log_->log.names.Intern("");
    }
    if (found->second.process != side.process) {
      Problem(fmt::format("thread {} is {} as one of process {} but was named as one of {}",
                          side.thread, role, side.process, found->second.process));
    }
    RequireName(side.thread, role);
    return found->second.name;
  }

  int32_t TidOf(const Side& side, uint32_t cpu) {
    if (side.process != 0) return static_cast<int32_t>(side.thread & kTidMask);
    if (side.thread != (kIdleGeneration << kTidBits | cpu) || side.priority != 0) {
      Problem(fmt::format("process 0 on cpu{} is not its idle task: thread {}, priority {}", cpu,
                          side.thread, side.priority));
    }
    return 0;
  }

  void TakeSwitch(uint64_t time_ns, uint32_t cpu, fxt::ThreadState state, const Side& out,
                  const Side& in) {
    if (cpu >= log_->log.cpus.size()) log_->log.cpus.resize(cpu + 1);
    CheckOrder(time_ns);
    if (IsClosing(time_ns, cpu, state, out, in)) {
      ++log_->closings;
      NameAt(out, "switched out");
      NameAt(in, "switched in");
      return;
    }
    Switch s;
    s.time_ns = time_ns;
    s.prev_tid = TidOf(out, cpu);
    s.next_tid = TidOf(in, cpu);
    s.prev_generation = static_cast<uint16_t>(out.thread >> kTidBits);
    s.next_generation = static_cast<uint16_t>(in.thread >> kTidBits);
    s.prev_priority = out.priority;
    s.next_priority = in.priority;
    s.prev_name = NameAt(out, "switched out");
    s.next_name = NameAt(in, "switched in");
    if (static_cast<size_t>(state) < UsualLetters().size()) {
      const auto found = letters_.find(out.thread);
      const auto& letters = found != letters_.end() ? found->second : kUsualLetters;
      s.prev_state = letters[static_cast<size_t>(state)];
    }
    // A state instant applies to the next switch.
    if (stated_ && (stated_->thread != out.thread || stated_->time_ns != time_ns)) {
      Problem("a linux_state instant does not stand before a switch of its thread and time");
    }
    stated_.reset();
    log_->log.cpus[cpu].push_back(s);
  }

  void CheckOrder(uint64_t time_ns) {
    if (time_ns < log_->last_ns) ++log_->switches_out_of_order;
    if (log_->first_ns == 0) log_->first_ns = time_ns;
    log_->last_ns = std::max(log_->last_ns, time_ns);
  }

  // A record without a switch of the kernel. After an unseen_switch mark it replaces the thread
  // that was last seen on the CPU by the one that leaves now. Or it puts the thread for lost events
  // on the CPU, or removes it.
  bool IsClosing(uint64_t time_ns, uint32_t cpu, fxt::ThreadState state, const Side& out,
                 const Side& in) {
    const auto mark = std::exchange(unseen_, std::nullopt);
    const bool unseen = mark && mark->cpu == cpu && mark->time_ns == time_ns;
    if (mark && !unseen) Problem("an unseen_switch instant without the record that closes its gap");
    const bool lost = out.thread == (kLostGeneration << kTidBits | cpu) ||
                      in.thread == (kLostGeneration << kTidBits | cpu);
    if (!unseen && !lost) return false;
    if (in.thread == (kLostGeneration << kTidBits | cpu)) {
      log_->gap_begins.push_back({time_ns, cpu});
    }
    if (state != fxt::ThreadState::kBlocked || out.priority != 0 || in.priority != 0) {
      Problem("a record that closes a gap says more than that");
    }
    return true;
  }

  void TakeEvent(uint64_t time_ns, const fxt::Event& event) {
    if (event.type != fxt::EventType::kInstant) return;
    const std::string_view category = event.category.text, name = event.name.text;
    if (category == "sched" && name == "linux_state") {
      const fxt::Argument* state = FindArgument(event.arguments, "state");
      const auto* text = state ? std::get_if<fxt::StringRef>(&state->value) : nullptr;
      const char letter = text ? StateLetter(text->text) : '?';
      if (letter == '?') Problem("a linux_state instant without a known state");
      const auto letters = letters_.try_emplace(event.thread.thread, kUsualLetters).first;
      letters->second[static_cast<size_t>(FormatStateOf(letter))] = letter;
      stated_ = Stated{event.thread.thread, time_ns};
    } else if (category == "fxt-record" && name == "lost_events") {
      const auto cpu = IntegerOf(FindArgument(event.arguments, "cpu"));
      const auto count = IntegerOf(FindArgument(event.arguments, "count"));
      const fxt::Argument* what = FindArgument(event.arguments, "category");
      const auto* text = what ? std::get_if<fxt::StringRef>(&what->value) : nullptr;
      if (!cpu || !count || !text) {
        Problem("a lost_events instant without cpu, count or category");
        return;
      }
      log_->losses.push_back(
          {time_ns, static_cast<uint32_t>(*cpu), *count, std::string(text->text)});
    } else if (category == "fxt-record" && name == "unseen_switch") {
      const auto cpu = IntegerOf(FindArgument(event.arguments, "cpu"));
      if (!cpu) {
        Problem("an unseen_switch instant without cpu");
        return;
      }
      unseen_ = UnseenSwitch{time_ns, static_cast<uint32_t>(*cpu)};
      log_->unseen.push_back(*unseen_);
    }
  }

  inline static const std::array<char, 6> kUsualLetters = UsualLetters();

  struct Thread {
    uint32_t name = 0;
    fxt::Koid process = 0;
  };
  struct Stated {
    fxt::Koid thread;
    uint64_t time_ns;
  };

  FxtLog* log_;
  uint64_t offset_ = 0;
  std::unordered_map<fxt::Koid, Thread> threads_;
  std::unordered_set<fxt::Koid> processes_;
  std::unordered_map<fxt::Koid, std::array<char, 6>> letters_;  // with another letter
  std::optional<Stated> stated_;
  std::optional<UnseenSwitch> unseen_;
};

}  // namespace

uint64_t FxtLog::lost() const {
  uint64_t lost = 0;
  for (const DeclaredLoss& loss : losses) lost += loss.count;
  return lost;
}

util::Result<FxtLog> ReadFxtLog(const std::string& path, const FxtLogOptions& options) {
  auto content = ReadMaybeGzip(path);
  if (!content.ok()) return content.TakeError();
  FxtLog log;
  log.bytes = content->bytes.size();
  log.truncated = content->truncated;
  Collector collector(&log);
  fxt::MemorySource source(std::as_bytes(std::span(content->bytes)));
  fxt::Reader reader(source);
  fxt::ReadStatus status;
  while ((status = reader.Next()) == fxt::ReadStatus::kRecord) collector.Take(reader);
  if (status != fxt::ReadStatus::kEnd) {
    return util::Error{fmt::format("{}: {}", path, reader.error_message()), ""};
  }
  log.truncated |= reader.truncated();
  for (const fxt::Diagnostic& diagnostic : reader.diagnostics().kept()) {
    if (fxt::ClassOf(diagnostic.kind) == fxt::DiagnosticClass::kEnd) continue;
    collector.Problem(fxt::ToString(diagnostic));
  }
  if (options.need_whole && log.truncated) {
    return util::Error{fmt::format("{} is cut short", path), ""};
  }
  return log;
}

}  // namespace truth
