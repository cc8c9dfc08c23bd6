// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/check/recorder_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analyze/check/object_rules.h"
#include "facts/linux_state_tracker.h"
#include "facts/record_kind.h"
#include "fxt/utf8.h"
#include "schema/event_info.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace analyze {
namespace {

constexpr uint64_t kTicksPerSecond = 1'000'000'000;
constexpr int64_t kMaxPriority = 139;
constexpr uint32_t kMaxLegacyCpu = 255;
constexpr size_t kMaxThreads = size_t{1} << 20;  // threads beyond are not checked
constexpr size_t kMaxProviders = 8192;           // 4 KB each at most

bool IsDefinition(const fxt::Record& record) {
  return facts::KindOf(record) <= facts::RecordKind::kThread ||
         facts::KindOf(record) == facts::RecordKind::kKernelObject;
}

bool IsLossCounter(const fxt::Event& event) {
  return event.type == fxt::EventType::kCounter && event.category.text == schema::kRecorderName &&
         event.name.text == schema::event::kLostEvents;
}

std::string NotTheOne(fxt::Koid left, uint32_t cpu, fxt::Koid came) {
  return fmt::format("thread {} leaves cpu {}, but thread {} was there", left, cpu, came);
}

}  // namespace

void RecorderChecker::Check(const fxt::Reader& reader) {
  offset_ = reader.offset();
  const fxt::Record& record = reader.record();
  ++records_;
  if (records_ <= 4) CheckPreamble(reader);
  const bool is_kernels = sections_.Has(reader);
  if (reader.provider().name() != schema::kRecorderName) {
    if (!is_kernels) CheckProviderRecord(reader);
    return;
  }
  const bool filled_up = std::holds_alternative<fxt::ProviderEvent>(record);
  if (IsDefinition(record) && !filled_up) {
    CheckDefinition(reader);
    return;
  }
  CheckAwaited(record);
  CheckTime(reader);
  if (auto fault = stacks_.Check(record)) Report(rules::kStack, std::move(*fault));

  if (const auto* filled = std::get_if<fxt::ProviderEvent>(&record)) {
    if (filled->event == fxt::kProviderEventBufferFilledUp) {
      awaited_ = Awaited::kLossInstant;
      awaited_offset_ = offset_;
    }
  } else if (const auto* event = std::get_if<fxt::Event>(&record)) {
    CheckEvent(*event);
  } else if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) {
    CheckWakeup(*wakeup);
  } else if (const auto* log = std::get_if<fxt::Log>(&record)) {
    MentionThread(log->thread.thread, log->thread.process);
    awaited_ = Awaited::kLogInstant;
    awaited_offset_ = offset_;
    awaited_thread_ = log->thread.thread;
    awaited_time_ = log->timestamp;
  } else if (facts::KindOf(record) == facts::RecordKind::kLargeBlob) {
    Report(rules::kLargeRecord, "a large record, which one viewer does not get past");
  } else {
    CheckSwitch(reader);
  }
}

// Checks a record of a provider, which may write events but no facts of the kernel.
void RecorderChecker::CheckProviderRecord(const fxt::Reader& reader) {
  const auto report = [&](const Rule& rule, std::string_view kind) {
    Report(rule, fmt::format("{} in the section of provider \"{}\"", kind,
                             fxt::ToValidUtf8(reader.provider().name())));
  };
  const fxt::Record& record = reader.record();
  switch (facts::KindOf(record)) {
    case facts::RecordKind::kSwitch:
      return report(rules::kProviderSwitch, "a context switch");
    case facts::RecordKind::kWakeup:
      return report(rules::kProviderSwitch, "a wakeup");
    case facts::RecordKind::kKernelObject:
      return report(rules::kProviderObject, "a kernel object");
    case facts::RecordKind::kLog:
      return report(rules::kProviderLog, "a log record");
    case facts::RecordKind::kModule:
    case facts::RecordKind::kMmap:
    case facts::RecordKind::kBacktrace:
      return report(rules::kProviderStack, "a profiler record");
    case facts::RecordKind::kBlob:
      if (std::get<fxt::Blob>(record).type == static_cast<uint8_t>(fxt::BlobType::kLastBranch)) {
        report(rules::kProviderStack, "a last-branch blob");
      }
      return;
    default:
      break;
  }
  const auto* event = std::get_if<fxt::Event>(&record);
  if (event == nullptr || !schema::IsKernelCategory(event->category.text)) return;
  // The recorder declares a provider's losses in its section.
  if (facts::AsLoss(*event) || IsLossCounter(*event)) return;
  report(rules::kProviderEvent, fmt::format("an event of category \"{}\"", event->category.text));
}

// Magic number, provider info, provider section, initialization.
void RecorderChecker::CheckPreamble(const fxt::Reader& reader) {
  if (preamble_bad_) return;
  const fxt::Record& record = reader.record();
  bool good = true;
  switch (records_) {
    case 1:
      // Whether the file is the recorder's shows in the second record.
      return;
    case 2:
      good = std::holds_alternative<fxt::ProviderInfo>(record);
      break;
    case 3:
      good = std::holds_alternative<fxt::ProviderSection>(record);
      break;
    default:
      good = std::holds_alternative<fxt::Initialization>(record);
  }
  if (good) return;
  preamble_bad_ = true;
  if (reader.provider().name() == schema::kRecorderName) {
    Report(rules::kPreamble, fmt::format("record {} of the file is a {} record", records_,
                                         facts::NameOf(facts::KindOf(record))));
  }
}

void RecorderChecker::CheckDefinition(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  // Definitions of further providers are not compared with their earlier ones.
  Tables none;
  const uint32_t provider = reader.provider().id();
  const bool has_tables = tables_.size() < kMaxProviders || tables_.contains(provider);
  Tables& tables = has_tables ? tables_[provider] : none;
  if (const auto* string = std::get_if<fxt::StringRecord>(&record)) {
    if (tables.strings.size() <= string->index) tables.strings.resize(string->index + size_t{1});
    if (tables.strings[string->index]) {
      Report(rules::kRedefined, fmt::format("string index {} is defined again", string->index));
    }
    tables.strings[string->index] = true;
  } else if (const auto* thread = std::get_if<fxt::ThreadRecord>(&record)) {
    if (tables.threads[thread->index]) {
      Report(rules::kRedefined, fmt::format("thread index {} is defined again", thread->index));
    }
    tables.threads[thread->index] = true;
    MentionThread(thread->thread, thread->process);
  } else if (const auto* init = std::get_if<fxt::Initialization>(&record)) {
    if (init->ticks_per_second != kTicksPerSecond) {
      Report(rules::kPreamble, fmt::format("{} ticks per second", init->ticks_per_second));
    }
  } else if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    CheckObject(*object);
  }
}

void RecorderChecker::CheckObject(const fxt::KernelObject& object) {
  if (object.koid > schema::kMaxKoid) {
    Report(rules::kKoid, fmt::format("kernel object with koid {}", object.koid));
  }
  names_.Note(fxt::Record(object));
  if (auto fault = CommandLineFault(object)) Report(rules::kCommandLine, std::move(*fault));
  if (object.type != static_cast<uint8_t>(fxt::KernelObjectType::kThread)) return;
  const auto process =
      facts::KoidOf(facts::FindArgument(object.arguments, schema::argument::kProcess));
  if (!process) {
    Report(rules::kProcessArgument,
           fmt::format("thread {} has no koid argument \"process\"", object.koid));
  } else {
    MentionProcess(*process);
  }
}

void RecorderChecker::Miss() {
  switch (awaited_) {
    case Awaited::kStateSwitch:
      ReportAt(awaited_offset_, rules::kLinuxState,
               fmt::format("not right before a switch of thread {} at the same time in that state",
                           awaited_thread_));
      break;
    case Awaited::kLossInstant:
      ReportAt(awaited_offset_, rules::kLoss,
               "a buffer filled up, but no instant says what was lost");
      break;
    case Awaited::kLossCounter:
      ReportAt(awaited_offset_, rules::kLoss, "the loss is not followed by its counter");
      break;
    case Awaited::kLogInstant:
      ReportAt(awaited_offset_, rules::kLogInstant,
               "not followed by an instant of category \"log\" at the same time and thread");
      break;
    case Awaited::kNothing:
      break;
  }
  awaited_ = Awaited::kNothing;
}

void RecorderChecker::CheckAwaited(const fxt::Record& record) {
  const auto* event = std::get_if<fxt::Event>(&record);
  const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&record);
  const auto* newer = std::get_if<fxt::ContextSwitch>(&record);
  bool come = false;
  switch (awaited_) {
    case Awaited::kNothing:
      return;
    case Awaited::kStateSwitch:
      come = (legacy != nullptr && legacy->outgoing.thread == awaited_thread_ &&
              legacy->timestamp == awaited_time_ && legacy->outgoing_state == awaited_state_) ||
             (newer != nullptr && newer->outgoing_thread == awaited_thread_ &&
              newer->timestamp == awaited_time_ && newer->outgoing_state == awaited_state_);
      break;
    case Awaited::kLossInstant:
      come = event != nullptr && facts::AsLoss(*event).has_value();
      break;
    case Awaited::kLossCounter:
      come = event != nullptr && IsLossCounter(*event) &&
             static_cast<int32_t>(event->payload) == awaited_cpu_;
      break;
    case Awaited::kLogInstant:
      come = event != nullptr && event->type == fxt::EventType::kInstant &&
             event->category.text == schema::category::kLog &&
             event->thread.thread == awaited_thread_ && event->timestamp == awaited_time_;
      break;
  }
  if (come) {
    awaited_ = Awaited::kNothing;
  } else {
    Miss();
  }
}

void RecorderChecker::CheckTime(const fxt::Reader& reader) {
  const auto time = facts::TimeOf(reader.record(), reader.provider());
  if (!time) return;
  if (*time < last_time_) {
    Report(rules::kTimeOrder,
           fmt::format("{} record at {} ns, {} ns before the one before it",
                       facts::NameOf(facts::KindOf(reader.record())), *time, last_time_ - *time));
  }
  last_time_ = *time;
}

void RecorderChecker::CheckEvent(const fxt::Event& event) {
  MentionThread(event.thread.thread, event.thread.process);
  for (const fxt::Argument& argument : event.arguments) {
    const auto koid = facts::KoidOf(&argument);
    if (koid && *koid > schema::kMaxKoid) {
      Report(rules::kKoid, fmt::format("argument with koid {}", *koid));
    }
  }
  if (!seen_event_) {
    seen_event_ = true;
    if (!facts::IsSession(event)) Report(rules::kSession, "the first event is another one");
  }
  continuity_.Note(event, offset_);
  if (const auto loss = facts::AsLoss(event)) {
    CheckLoss(*loss);
  } else if (facts::IsLinuxState(event)) {
    const auto letters =
        facts::TextOf(facts::FindArgument(event.arguments, schema::argument::kState));
    const auto state = facts::LinuxStateTracker::StateOf(letters.value_or(""));
    if (state == fxt::ThreadState::kRunning) {
      Report(rules::kLinuxState, "the state is none of the kernel's letters");
      return;
    }
    awaited_ = Awaited::kStateSwitch;
    awaited_offset_ = offset_;
    awaited_thread_ = event.thread.thread;
    awaited_time_ = event.timestamp;
    awaited_state_ = state;
  }
}

void RecorderChecker::CheckLoss(const facts::Loss& loss) {
  if (!loss.cpu || !loss.count || !loss.category) {
    Report(rules::kLoss, "cpu (int32), count (unsigned) or category (string) is missing");
  }
  awaited_ = Awaited::kLossCounter;
  awaited_offset_ = offset_;
  awaited_cpu_ = loss.cpu.value_or(-1);
}

void RecorderChecker::CheckSide(const facts::Switch& record, const facts::SwitchSide& side) {
  const bool idle_koid = side.thread == schema::IdleKoid(record.cpu);
  if (!side.process) return;  // the newer layout says less
  MentionThread(side.thread, side.process);
  if (*side.priority > kMaxPriority) {
    Report(rules::kPriority, fmt::format("priority {} of thread {}", *side.priority, side.thread));
  }
  const bool idle_process = *side.process == 0;
  if (idle_process != idle_koid || (idle_process && *side.priority != 0)) {
    Report(rules::kIdle, fmt::format("process {}, thread {}, priority {} on cpu {}", *side.process,
                                     side.thread, *side.priority, record.cpu));
  }
}

void RecorderChecker::CheckSwitch(const fxt::Reader& reader) {
  const auto record = facts::AsSwitch(reader.record(), reader.provider());
  if (!record) return;
  if (std::holds_alternative<fxt::ContextSwitch>(reader.record())) {
    MentionThread(record->outgoing.thread, std::nullopt);
    MentionThread(record->incoming.thread, std::nullopt);
    if (record->cpu <= kMaxLegacyCpu) {
      Report(rules::kSwitchLayout, fmt::format("newer layout for cpu {}", record->cpu));
    }
  }
  CheckSide(*record, record->outgoing);
  CheckSide(*record, record->incoming);

  if (continuity_.Judge(*record) == facts::CpuContinuity::Verdict::kBroken) {
    Report(rules::kContinuity,
           NotTheOne(record->outgoing.thread, record->cpu, *continuity_.Running(record->cpu)));
  }
  continuity_.Note(*record, offset_);
}

void RecorderChecker::CheckWakeup(const fxt::ThreadWakeup& record) {
  MentionThread(record.thread, std::nullopt);
  const fxt::Argument* waker = facts::FindArgument(record.arguments, schema::argument::kWaker);
  if (waker != nullptr) {
    if (const auto koid = facts::KoidOf(waker)) {
      MentionThread(*koid, std::nullopt);
    } else {
      Report(rules::kWakeup, "the argument \"waker\" is not a koid");
    }
  }
  if (const auto cpu = continuity_.CpuOf(record.thread)) {
    Report(rules::kWakeup,
           fmt::format("wakeup of thread {}, which is on cpu {}", record.thread, *cpu));
  }
}

void RecorderChecker::MentionProcess(fxt::Koid process) {
  if (processes_.size() < kMaxThreads) processes_.try_emplace(process, offset_);
}

void RecorderChecker::MentionThread(fxt::Koid thread, std::optional<fxt::Koid> process) {
  if (threads_.size() >= kMaxThreads && !threads_.contains(thread)) return;
  const auto [entry, fresh] = threads_.try_emplace(thread, Mention{offset_, process});
  if (!fresh) {
    if (!entry->second.process && process) {
      entry->second.process = process;
      MentionProcess(*process);
    }
    return;
  }
  if (std::max(thread, process.value_or(0)) > schema::kMaxKoid) {
    Report(rules::kKoid, fmt::format("process {}, thread {}", process.value_or(0), thread));
  }
  if (process) MentionProcess(*process);
}

void RecorderChecker::Finish() {
  // A full disk or a kill may end the file between a record and the one that has to follow, so
  // nothing is missing that is still awaited.
  for (const facts::CpuContinuity::TakeOver& taken : continuity_.take_overs()) {
    ReportAt(taken.offset, rules::kContinuity, NotTheOne(taken.after, taken.cpu, taken.before));
  }
  // The first ones: a hostile file has as many as there is room for names.
  constexpr size_t kMaxLate = 100'000;
  std::vector<Finding> late;
  const auto earlier = [](const Finding& a, const Finding& b) {
    return std::tie(a.offset, a.message) < std::tie(b.offset, b.message);
  };
  const auto add = [&](uint64_t offset, const Rule& rule, std::string message) {
    late.push_back({offset, rule.severity, rule.id, std::move(message)});
    if (late.size() < 2 * kMaxLate) return;
    std::nth_element(late.begin(), late.begin() + kMaxLate, late.end(), earlier);
    late.resize(kMaxLate);
  };
  for (const auto& [thread, mention] : threads_) {
    const facts::TaskNames::Thread* object = names_.thread(thread);
    if (object == nullptr) {
      add(mention.offset, rules::kUnnamed, fmt::format("thread {} has no name", thread));
    } else if (mention.process && object->process && *mention.process != *object->process) {
      add(mention.offset, rules::kProcessArgument,
          fmt::format("thread {} is of process {} here, its kernel object says {}", thread,
                      *mention.process, *object->process));
    }
  }
  for (const auto& [process, offset] : processes_) {
    if (names_.process(process) == nullptr) {
      add(offset, rules::kUnnamed, fmt::format("process {} has no name", process));
    }
  }
  for (SplitProcess& split : FindSplitProcesses(names_)) {
    const auto mention = processes_.find(split.process);
    add(mention == processes_.end() ? 0 : mention->second, rules::kSplitProcess,
        std::move(split.message));
  }
  std::sort(late.begin(), late.end(), earlier);
  for (const Finding& finding : late) report_(finding);
}

}  // namespace analyze
