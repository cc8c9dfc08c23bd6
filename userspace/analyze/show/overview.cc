// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/read_loop.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "schema/event_info.h"
#include "schema/names.h"
#include "schema/stack_end.h"

namespace analyze {
namespace {

// Damaged files can have as many names as they have records.
constexpr size_t kMaxNames = 10'000;
constexpr size_t kMaxProviders = 10'000;

// A node of a map, without the text of its key.
constexpr size_t kNodeBytes = 128;
size_t BytesOf(const std::string& key) { return kNodeBytes + key.size(); }
size_t BytesOf(const std::pair<int32_t, std::string>& key) { return BytesOf(key.second); }
size_t BytesOf(fxt::Koid) { return kNodeBytes; }

// The entry of `key`; null when it would be one too many, or there is no room for it.
template <typename Map, typename Key>
typename Map::mapped_type* Entry(Map& map, const Key& key, size_t limit, size_t& room) {
  const auto found = map.find(key);
  if (found != map.end()) return &found->second;
  if (map.size() >= limit || BytesOf(key) > room) return nullptr;
  room -= BytesOf(key);
  return &map[key];
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
    const bool is_kernels = timeline_.IsKernels(reader.provider());
    AddEvent(*event, is_kernels);
    if (with_settings_ && is_kernels) {
      if (const auto settings = facts::AsSettings(*event)) {
        AddSettings(*settings, reader.ToNanoseconds(event->timestamp));
      }
    }
    blocked_.NoteEvent(reader);
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
  blocked_.NoteObject(record);
  if (overview_.names->Note(record, timeline_.IsKernels(reader.provider()))) return;
  if (const auto* blob = std::get_if<fxt::Blob>(&record)) {
    AddBlob(blob->name, blob->type, blob->payload.size());
  } else if (const auto* large = std::get_if<fxt::LargeBlob>(&record)) {
    AddBlob(large->name, 0, large->payload.size());
  } else if (const auto* timed = std::get_if<fxt::LargeBlobWithMetadata>(&record)) {
    AddBlob(timed->name, 0, timed->payload.size());
  } else if (const auto* filled = std::get_if<fxt::ProviderEvent>(&record)) {
    overview_.buffer_filled_events += filled->event == fxt::kProviderEventBufferFilledUp;
    timeline_.Add(reader);
  } else {
    timeline_.Add(reader);
  }
}

uint64_t OverviewBuilder::AddFastPath(fxt::Reader& reader, uint64_t most) {
  constexpr uint64_t kSwitchBytes = 16;
  const uint64_t begin = reader.position();
  const uint64_t switches_before = switches_;
  const uint64_t taken = timeline_.AddFastPath(reader, most);
  if (taken == 0) return 0;
  const Counted all{taken, reader.position() - begin};
  const Counted switches{switches_ - switches_before, kSwitchBytes * (switches_ - switches_before)};
  const Counted wakeups{all.count - switches.count, all.bytes - switches.bytes};
  overview_.records += all.count;
  overview_.kinds[static_cast<size_t>(facts::RecordKind::kSwitch)].Add(switches);
  overview_.kinds[static_cast<size_t>(facts::RecordKind::kWakeup)].Add(wakeups);
  ProviderOf(reader.provider()).records.Add(all);
  return taken;
}

void OverviewBuilder::CountBlocked(uint64_t ns, const std::string& reason) {
  constexpr size_t kMaxKinds = 4096;
  std::string kind = facts::KindOfReason(reason);
  if (overview_.blocked.size() >= kMaxKinds && !overview_.blocked.contains(kind)) kind.clear();
  Overview::Blocked& sum = overview_.blocked[kind];
  ++sum.waits;
  sum.ns += ns;
}

void OverviewBuilder::Facts::OnWait(const facts::Wait& wait) const {
  // Traces without wakeups have waits, too.
  const bool is_end_known =
      wait.ended == facts::Bound::kSeen || wait.ended == facts::Bound::kNoWakeup;
  if (wait.kind != facts::WaitKind::kBlocked || wait.began != facts::Bound::kSeen ||
      !is_end_known || wait.touches_loss) {
    return;
  }
  builder.blocked_.Hold(wait, is_end_known, wait.end - wait.begin);
}

void OverviewBuilder::AddTime(uint64_t time) {
  if (!overview_.first_time || time < *overview_.first_time) overview_.first_time = time;
  if (!overview_.last_time || time > *overview_.last_time) overview_.last_time = time;
}

void OverviewBuilder::Facts::OnCpuSwitch(const facts::CpuSwitch& change) const {
  ++builder.switches_;
  builder.AddTime(change.time);
  if (change.activity == facts::CpuActivity::kGap) return;
  Overview::Thread* incoming = builder.ThreadAt(change.index);
  if (incoming == nullptr) {
    ++builder.overview_.not_listed;
    return;
  }
  ++incoming->switches;
  incoming->idle = change.activity == facts::CpuActivity::kIdle;
  if (change.process) incoming->process = *change.process;
}

Overview::Thread* OverviewBuilder::ThreadAt(facts::ThreadIndex index) {
  if (index == facts::kNoThread) return nullptr;
  if (index >= threads_.size()) threads_.resize(timeline_.threads().size());
  return &threads_[index];
}

void OverviewBuilder::Facts::OnRun(const facts::Run& run) const {
  builder.blocked_.Release(run.thread);
  Overview::Thread* thread = builder.ThreadAt(run.index);
  if (thread == nullptr) return;
  thread->run_ns += run.end - run.begin;
  if (run.process) thread->process = *run.process;
}

void OverviewBuilder::Facts::OnIdle(const facts::Idle& idle) const {
  Overview::Thread* thread = builder.ThreadAt(idle.index);
  if (thread == nullptr) return;
  thread->run_ns += idle.end - idle.begin;
  thread->idle = true;
}

void OverviewBuilder::AddEvent(const fxt::Event& event, bool is_kernels) {
  uint64_t* category =
      Entry(overview_.categories, std::string(event.category.text), kMaxNames, room_);
  if (category != nullptr) {
    ++*category;
  } else {
    ++overview_.not_listed;
  }
  if (is_kernels && event.type == fxt::EventType::kCounter &&
      event.category.text == schema::CategoryName(FXR_CATEGORY_COUNTER)) {
    AddCounts(event);
  } else if (const auto loss = facts::AsLoss(event)) {
    const auto key = std::pair(loss->cpu.value_or(-1), std::string(loss->category.value_or("")));
    uint64_t* lost = Entry(overview_.lost, key, kMaxNames, room_);
    if (lost != nullptr) *lost += loss->count.value_or(0);
  } else if (!is_kernels) {
    // A provider's own event.
  } else if (facts::AsUnseenSwitch(event)) {
    ++overview_.unseen_switches;
  } else if (event.category.text == schema::category::kStack) {
    const auto text_of = [&event](std::string_view name) {
      const fxt::Argument* argument = facts::FindArgument(event.arguments, name);
      const auto* text =
          argument == nullptr ? nullptr : std::get_if<fxt::StringRef>(&argument->value);
      return text == nullptr ? std::string_view() : text->text;
    };
    if (const auto end = schema::FindStackEnd(text_of(schema::argument::kEnd))) {
      overview_.stack_ends.Add(*end, text_of(schema::argument::kEndIn));
    }
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
    uint64_t* sum = Entry(overview_.counted, std::string(argument.name.text), kMaxNames, room_);
    if (sum != nullptr) *sum += *count;
    if (argument.name.text == "cycles") run.cycles = *count;
    if (argument.name.text == "instructions") run.instructions = *count;
  }
  if (run.cycles == 0 || run.instructions == 0) return;
  Overview::Work* work = Entry(overview_.work, event.thread.thread, kMaxNames, room_);
  if (work == nullptr) return;
  work->cycles += run.cycles;
  work->instructions += run.instructions;
}

void OverviewBuilder::AddSettings(const facts::SettingsEvent& event, uint64_t time) {
  Overview::Settings settings{.time = time,
                              .scope = event.scope,
                              .subject = std::string(event.subject),
                              .process = event.process,
                              .values = {}};
  size_t bytes = kNodeBytes + settings.subject.size();
  for (const fxt::Argument& value : event.values) {
    settings.values.emplace_back(value.name.text, facts::SettingText(value.value));
    bytes += kNodeBytes + value.name.text.size() + settings.values.back().second.size();
  }
  if (bytes > room_) {
    ++overview_.not_listed;
    return;
  }
  room_ -= bytes;
  overview_.settings.push_back(std::move(settings));
}

void OverviewBuilder::AddBlob(const fxt::StringRef& name, uint8_t type, size_t bytes) {
  Overview::BlobStream* stream = Entry(overview_.blobs, std::string(name.text), kMaxNames, room_);
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
  blocked_.Finish();
  const auto& cpus = timeline_.cpus();
  for (uint32_t number = 0; number < cpus.size(); ++number) {
    const auto& cpu = cpus[number];
    if (cpu.switches + cpu.wakeups == 0) continue;
    overview_.cpus[number] = {cpu.switches, cpu.wakeups, cpu.busy_ns, cpu.unknown_ns};
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
  facts::ReadRecords(reader, builder);
  return builder.Finish(reader);
}

}  // namespace analyze
