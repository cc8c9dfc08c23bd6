// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "schema/event_info.h"
#include "schema/names.h"

namespace analyze {
namespace {

// Damaged files can have as many names as they have records.
constexpr size_t kMaxNames = 10'000;
constexpr size_t kMaxProviders = 10'000;

// The entry of `key`, null when it would be one too many.
template <typename Map, typename Key>
typename Map::mapped_type* Entry(Map& map, const Key& key, size_t limit) {
  const auto found = map.find(key);
  if (found != map.end()) return &found->second;
  return map.size() < limit ? &map[key] : nullptr;
}

}  // namespace

std::string ValueText(const fxt::ArgumentValue& value) {
  struct Text {
    std::string operator()(fxt::NullValue) const { return "null"; }
    std::string operator()(int32_t v) const { return fmt::to_string(v); }
    std::string operator()(uint32_t v) const { return fmt::to_string(v); }
    std::string operator()(int64_t v) const { return fmt::to_string(v); }
    std::string operator()(uint64_t v) const { return fmt::to_string(v); }
    std::string operator()(double v) const { return fmt::to_string(v); }
    std::string operator()(const fxt::StringRef& v) const { return std::string(v.text); }
    std::string operator()(fxt::PointerValue v) const { return fmt::format("0x{:x}", v.address); }
    std::string operator()(fxt::KoidValue v) const { return fmt::to_string(v.koid); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const fxt::BlobValue& v) const {
      return fmt::format("({} bytes)", v.bytes.size());
    }
    std::string operator()(const fxt::UnknownValue& v) const {
      return fmt::format("(unknown type {})", v.type);
    }
  };
  return std::visit(Text{}, value);
}

uint64_t Overview::events() const {
  uint64_t sum = 0;
  for (auto kind = static_cast<size_t>(facts::RecordKind::kInstant);
       kind <= static_cast<size_t>(facts::RecordKind::kFlowEnd); ++kind) {
    sum += kinds[kind].count;
  }
  return sum;
}

uint64_t Overview::lost_events() const {
  uint64_t sum = 0;
  for (const auto& [key, count] : lost) sum += count;
  return sum;
}

Overview::Provider& OverviewBuilder::ProviderOf(const fxt::ReaderProvider& provider) {
  const auto found = provider_index_.find(provider.id());
  if (found != provider_index_.end()) return overview_.providers[found->second];
  if (overview_.providers.size() >= kMaxProviders) {
    ++overview_.not_listed;
    return overview_.providers.back();
  }
  provider_index_[provider.id()] = overview_.providers.size();
  Overview::Provider& entry = overview_.providers.emplace_back();
  entry.id = provider.id();
  return entry;
}

void OverviewBuilder::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  const uint64_t bytes = reader.words().size_bytes();
  ++overview_.records;
  Counted& kind = overview_.kinds[static_cast<size_t>(facts::KindOf(record))];
  ++kind.count;
  kind.bytes += bytes;
  // The magic number belongs to no provider.
  if (!std::holds_alternative<fxt::MagicNumber>(record)) {
    Overview::Provider& provider = ProviderOf(reader.provider());
    provider.name = reader.provider().name();
    provider.ticks_per_second = reader.provider().ticks_per_second();
    ++provider.records.count;
    provider.records.bytes += bytes;
  }

  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    AddEvent(*event);
    AddReason(reader);
    timeline_.Add(reader);
    if (event->category.text != schema::kRecorderName) {
      AddTime(reader.ToNanoseconds(event->timestamp));
      if (event->type == fxt::EventType::kDurationComplete) {
        AddTime(reader.ToNanoseconds(event->payload));
      }
    }
    return;
  }
  if (const auto time = facts::TimeOf(record, reader.provider())) AddTime(*time);
  reasons_.NoteObject(record);
  if (overview_.names.Note(record)) return;
  if (const auto* blob = std::get_if<fxt::Blob>(&record)) {
    AddBlob(blob->name, blob->type, blob->payload.size());
  } else if (const auto* large = std::get_if<fxt::LargeBlob>(&record)) {
    AddBlob(large->name, 0, large->payload.size());
  } else if (const auto* timed = std::get_if<fxt::LargeBlobWithMetadata>(&record)) {
    AddBlob(timed->name, 0, timed->payload.size());
  } else if (const auto* filled = std::get_if<fxt::ProviderEvent>(&record)) {
    overview_.buffer_filled_events += filled->event == fxt::kProviderEventBufferFilledUp;
    timeline_.Add(reader);
  } else if (const auto* wakeup = std::get_if<fxt::ThreadWakeup>(&record)) {
    ++CpuAt(wakeup->cpu).wakeups;
    AddWakeup(reader);
  } else {
    AddSwitch(reader);
  }
}

void OverviewBuilder::AddReason(const fxt::Reader& reader) {
  reasons_.NoteEvent(reader);
  const auto& slept = reasons_.slept();
  if (!slept) return;
  const auto found = blocked_.find(slept->thread);
  if (found == blocked_.end() || !facts::IsOf(*slept, found->second.begin)) return;
  found->second.reason = facts::JoinReasons(found->second.reason, slept->in);
}

void OverviewBuilder::AddWakeup(const fxt::Reader& reader) {
  const auto wakeup = facts::AsWakeup(reader.record(), reader.provider());
  if (!wakeup) return;
  woken_by_thread_ = wakeup->waker.has_value();
  timeline_.OnWakeup(*wakeup);
  woken_by_thread_ = true;
}

void OverviewBuilder::AddBlocked(const facts::Wait& wait) {
  constexpr size_t kMaxThreads = size_t{1} << 20;
  // Traces without wakeups have waits, too.
  const bool end_known = wait.ended == facts::Bound::kSeen || wait.ended == facts::Bound::kNoWakeup;
  if (wait.began != facts::Bound::kSeen || !end_known || wait.touches_loss) return;
  if (blocked_.size() >= kMaxThreads && !blocked_.contains(wait.thread)) return;
  Blocked& blocked = blocked_[wait.thread];
  CountBlocked(blocked);
  blocked = {wait.begin, wait.end - wait.begin,
             reasons_.ReasonOf(wait.thread, wait.begin, wait.end, woken_by_thread_)};
}

void OverviewBuilder::CountBlocked(const Blocked& blocked) {
  constexpr size_t kMaxKinds = 4096;
  if (blocked.begin == 0) return;
  std::string kind = facts::KindOfReason(blocked.reason);
  if (overview_.blocked.size() >= kMaxKinds && !overview_.blocked.contains(kind)) kind.clear();
  Overview::Blocked& sum = overview_.blocked[kind];
  ++sum.waits;
  sum.ns += blocked.ns;
}

void OverviewBuilder::Times::OnWait(const facts::Wait& wait) const {
  if (wait.kind == facts::WaitKind::kBlocked) builder.AddBlocked(wait);
}

void OverviewBuilder::AddTime(uint64_t time) {
  if (!overview_.first_time || time < *overview_.first_time) overview_.first_time = time;
  if (!overview_.last_time || time > *overview_.last_time) overview_.last_time = time;
}

void OverviewBuilder::AddSwitch(const fxt::Reader& reader) {
  const auto record = facts::AsSwitch(reader.record(), reader.provider());
  if (!record) return;
  timeline_.OnSwitch(*record);
  ++CpuAt(record->cpu).switches;
  if (record->incoming.lost) return;
  Overview::Thread* incoming = ThreadAt(timeline_.cpus()[record->cpu].index);
  if (incoming == nullptr) {
    ++overview_.not_listed;
    return;
  }
  ++incoming->switches;
  incoming->idle = record->incoming.idle;
  if (record->incoming.process) incoming->process = *record->incoming.process;
}

Overview::Cpu& OverviewBuilder::CpuAt(uint32_t cpu) {
  if (cpu >= cpus_.size()) cpus_.resize(cpu + size_t{1});
  return cpus_[cpu];
}

Overview::Thread* OverviewBuilder::ThreadAt(facts::ThreadIndex index) {
  if (index == facts::kNoThread) return nullptr;
  if (index >= threads_.size()) threads_.resize(timeline_.threads().size());
  return &threads_[index];
}

void OverviewBuilder::Times::OnRun(const facts::Run& run) const {
  builder.CpuAt(run.cpu).busy_ns += run.end - run.begin;
  Overview::Thread* thread = builder.ThreadAt(run.index);
  if (thread == nullptr) return;
  thread->run_ns += run.end - run.begin;
  if (run.process) thread->process = *run.process;
}

void OverviewBuilder::Times::OnIdle(const facts::Idle& idle) const {
  Overview::Thread* thread = builder.ThreadAt(idle.index);
  if (thread == nullptr) return;
  thread->run_ns += idle.end - idle.begin;
  thread->idle = true;
}

void OverviewBuilder::Times::OnGap(const facts::Gap& gap) const {
  builder.CpuAt(gap.cpu).unknown_ns += gap.end - gap.begin;
}

void OverviewBuilder::AddEvent(const fxt::Event& event) {
  uint64_t* category = Entry(overview_.categories, std::string(event.category.text), kMaxNames);
  if (category != nullptr) {
    ++*category;
  } else {
    ++overview_.not_listed;
  }
  if (event.type == fxt::EventType::kCounter &&
      event.category.text == schema::CategoryName(FXR_CATEGORY_COUNTER)) {
    AddCounts(event);
  } else if (const auto loss = facts::AsLoss(event)) {
    const auto key = std::pair(loss->cpu.value_or(-1), std::string(loss->category.value_or("")));
    uint64_t* lost = Entry(overview_.lost, key, kMaxNames);
    if (lost != nullptr) *lost += loss->count.value_or(0);
  } else if (facts::AsUnseenSwitch(event)) {
    ++overview_.unseen_switches;
  } else if (facts::IsSession(event) && overview_.session.empty()) {
    for (const fxt::Argument& argument : event.arguments) {
      overview_.session.emplace_back(argument.name.text, ValueText(argument.value));
    }
  }
}

void OverviewBuilder::AddCounts(const fxt::Event& event) {
  Overview::Work run;
  for (const fxt::Argument& argument : event.arguments) {
    if (argument.name.text == "partial") ++overview_.partial_runs;
    const auto* count = std::get_if<uint64_t>(&argument.value);
    if (count == nullptr) continue;
    uint64_t* sum = Entry(overview_.counted, std::string(argument.name.text), kMaxNames);
    if (sum != nullptr) *sum += *count;
    if (argument.name.text == "cycles") run.cycles = *count;
    if (argument.name.text == "instructions") run.instructions = *count;
  }
  if (run.cycles == 0 || run.instructions == 0) return;
  Overview::Work* work = Entry(overview_.work, event.thread.thread, kMaxNames);
  if (work == nullptr) return;
  work->cycles += run.cycles;
  work->instructions += run.instructions;
}

void OverviewBuilder::AddBlob(const fxt::StringRef& name, uint8_t type, size_t bytes) {
  Overview::BlobStream* stream = Entry(overview_.blobs, std::string(name.text), kMaxNames);
  if (stream == nullptr) {
    ++overview_.not_listed;
    return;
  }
  stream->type = type;
  ++stream->payload.count;
  stream->payload.bytes += bytes;
}

Overview OverviewBuilder::Finish(const fxt::Reader& reader) {
  overview_.bytes = reader.position();
  overview_.truncated = reader.truncated();
  overview_.error = reader.error_message();
  for (size_t i = 0; i < fxt::kDiagnosticKinds; ++i) {
    overview_.diagnostics[i] = reader.diagnostics().count(static_cast<fxt::DiagnosticKind>(i));
  }
  overview_.first_diagnostics = reader.diagnostics().kept();
  timeline_.Finish(timeline_.latest());
  overview_.window_ns = timeline_.latest() - timeline_.begin();
  for (const auto& [thread, blocked] : blocked_) CountBlocked(blocked);
  for (uint32_t cpu = 0; cpu < cpus_.size(); ++cpu) {
    if (cpus_[cpu].switches + cpus_[cpu].wakeups != 0) overview_.cpus.emplace(cpu, cpus_[cpu]);
  }
  for (facts::ThreadIndex index = 0; index < threads_.size(); ++index) {
    const Overview::Thread& thread = threads_[index];
    if (thread.switches + thread.run_ns != 0)
      overview_.threads.emplace(timeline_.threads()[index].koid, thread);
  }
  return std::exchange(overview_, {});
}

Overview TakeOverview(fxt::Reader& reader) {
  OverviewBuilder builder;
  for (;;) {
    const fxt::ReadStatus status = reader.Next();
    if (status == fxt::ReadStatus::kEnd || status == fxt::ReadStatus::kError) break;
    if (status == fxt::ReadStatus::kRecord) builder.Add(reader);
  }
  return builder.Finish(reader);
}

}  // namespace analyze
