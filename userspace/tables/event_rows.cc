// SPDX-License-Identifier: BSD-2-Clause
#include "tables/event_rows.h"

#include <cmath>
#include <string>
#include <utility>

#include "branches/last_branch.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "schema/names.h"
#include "tables/stack_rows.h"
#include "text/argument_json.h"

namespace tables {
namespace {

std::optional<uint64_t> IdOf(const fxt::Event& event) {
  switch (event.type) {
    case fxt::EventType::kAsyncBegin:
    case fxt::EventType::kAsyncInstant:
    case fxt::EventType::kAsyncEnd:
      return event.payload;
    default:
      return std::nullopt;
  }
}

// SQLite takes what is not a number for NULL, and so does everything else.
std::optional<double> NumberOf(const fxt::ArgumentValue& value) {
  if (const auto* v = std::get_if<int32_t>(&value)) return *v;
  if (const auto* v = std::get_if<uint32_t>(&value)) return *v;
  if (const auto* v = std::get_if<int64_t>(&value)) return static_cast<double>(*v);
  if (const auto* v = std::get_if<uint64_t>(&value)) return static_cast<double>(*v);
  const auto* v = std::get_if<double>(&value);
  return v == nullptr || std::isnan(*v) ? std::nullopt : std::optional(*v);
}

std::string NameOfBlobType(uint8_t type) {
  switch (static_cast<fxt::BlobType>(type)) {
    case fxt::BlobType::kData:
      return "data";
    case fxt::BlobType::kLastBranch:
      return "last_branch";
    case fxt::BlobType::kPerfetto:
      return "perfetto";
  }
  return fmt::to_string(type);
}

}  // namespace

EventRows::EventRows(TaskNames& names, const FactRows& facts, Batches& batches, bool with_times)
    : names_(names),
      texts_(batches.texts()),
      facts_(facts),
      instants_(batches.of(Table::kInstants)),
      spans_(batches.of(Table::kSpans)),
      counters_(batches.of(Table::kCounters)),
      logs_(batches.of(Table::kLogs)),
      losses_(batches.of(Table::kLosses)),
      blobs_(batches.of(Table::kBlobs)),
      settings_(batches.of(Table::kSettings)),
      with_times_(with_times),
      with_arguments_(spans_ != nullptr && spans_->Wants(spans::kArgs)) {}

std::optional<uint32_t> EventRows::CpuOf(fxt::Koid thread) const {
  if (names_.is_kernels() && names_.ours() && schema::IsCpuTrack(thread))
    return schema::TidOfKoid(thread);
  return facts_.CpuOf(thread);
}

std::optional<uint32_t> EventRows::CpuOf(const fxt::Event& event) const {
  // An argument of a provider's own is not where the kernel ran its thread.
  const auto cpu =
      names_.is_kernels()
          ? facts::IntegerValue(facts::FindArgument(event.arguments, schema::argument::kCpu))
          : std::nullopt;
  if (cpu && *cpu >= 0 && *cpu <= UINT16_MAX) return static_cast<uint32_t>(*cpu);
  return CpuOf(event.thread.thread);
}

bool EventRows::Chooses(const RowBatch& batch, uint64_t time, fxt::Koid thread) const {
  const RowFilter& filter = batch.filter();
  return filter.HasTime(time) && (!filter.tid || filter.HasTid(names_.NumberOf(thread)));
}

void EventRows::PutArgs(Cell& cell, RowBatch& batch, std::string_view members) {
  if (members.empty()) return cell.SetNull();
  json_.clear();
  json_.push_back('{');
  json_.append(members);
  json_.push_back('}');
  cell.Set(batch.Copy({json_.data(), json_.size()}));
}

void EventRows::Add(const fxt::Reader& reader) {
  const fxt::Record& record = reader.record();
  if (std::holds_alternative<fxt::StringRecord>(record) ||
      std::holds_alternative<fxt::ThreadRecord>(record)) {
    return;
  }
  if (&reader.provider() != provider_ || reader.provider().definitions() != definitions_) {
    provider_ = &reader.provider();
    definitions_ = reader.provider().definitions();
    provider_name_ = names_.Text(reader.provider().name());
    owner_ = names_.is_kernels() ? 0 : uint64_t{reader.provider().id()} + 1;
  }
  if (const auto time = facts::TimeOf(record, reader.provider()))
    latest_ = std::max(latest_, *time);
  if (const auto* event = std::get_if<fxt::Event>(&record)) {
    AddEvent(reader, *event);
  } else if (const auto* log = std::get_if<fxt::Log>(&record)) {
    AddLog(*log, reader.ToNanoseconds(log->timestamp));
  } else if (const auto* blob = std::get_if<fxt::Blob>(&record)) {
    AddBlob(reader, *blob);
  } else if (const auto* large = std::get_if<fxt::LargeBlob>(&record)) {
    PutBlob({.time = TimeBefore(), .name = large->name.text, .bytes = large->payload.size()});
  } else if (const auto* timed = std::get_if<fxt::LargeBlobWithMetadata>(&record)) {
    PutBlob({.time = reader.ToNanoseconds(timed->timestamp),
             .name = timed->name.text,
             .bytes = timed->payload.size(),
             .cpu = CpuOf(timed->thread.thread),
             .thread = timed->thread.thread});
  } else if (const auto* filled = std::get_if<fxt::ProviderEvent>(&record)) {
    // fxt-record emits more right behind it.
    if (filled->event == fxt::kProviderEventBufferFilledUp &&
        reader.provider().name() != schema::kRecorderName) {
      PutLoss(TimeBefore(), "buffer_full", {}, {}, {});
    }
  }
}

void EventRows::AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
  const uint64_t time = reader.ToNanoseconds(event.timestamp);
  if (with_times_) {
    // An imported file may have threads of process 0 that are no idle threads.
    const bool idle = event.thread.process == schema::kIdleProcessKoid &&
                      event.thread.thread <= schema::kMaxKoid &&
                      schema::GenerationOfKoid(event.thread.thread) == schema::kIdleGeneration;
    names_.NoteThread(event.thread.thread, event.thread.process, time, idle);
  }
  switch (event.type) {
    case fxt::EventType::kInstant:
      AddLoss(event, time);
      if (settings_ != nullptr && names_.is_kernels()) {
        if (const auto settings = facts::AsSettings(event)) AddSettings(*settings, time);
      }
      [[fallthrough]];
    case fxt::EventType::kAsyncInstant:
      if (instants_ != nullptr) AddInstant(event, time);
      break;
    case fxt::EventType::kCounter:
      if (counters_ != nullptr) AddCounter(event, time);
      break;
    case fxt::EventType::kFlowBegin:
    case fxt::EventType::kFlowStep:
    case fxt::EventType::kFlowEnd:
      break;
    default:
      if (spans_ != nullptr) AddSpanEvent(reader, event, time);
  }
}

void EventRows::AddInstant(const fxt::Event& event, uint64_t time) {
  const auto cpu = CpuOf(event);
  if (!Chooses(*instants_, time, event.thread.thread) || !instants_->filter().HasCpu(cpu)) {
    return instants_->PassOver();
  }
  const TaskRef task{event.thread.thread, event.thread.process};
  instants_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case instants::kTs:
        return cell.Set(time);
      case instants::kCategory:
        return cell.Set(instants_->KeepClean(event.category.text));
      case instants::kName:
        return cell.Set(instants_->KeepClean(event.name.text));
      case instants::kTid:
        return PutTask<TaskColumn::kTid>(cell, &texts_, names_, task);
      case instants::kPid:
        return PutTask<TaskColumn::kPid>(cell, &texts_, names_, task);
      case instants::kThread:
        return PutTask<TaskColumn::kThread>(cell, &texts_, names_, task);
      case instants::kProcess:
        return PutTask<TaskColumn::kProcess>(cell, &texts_, names_, task);
      case instants::kCpu:
        return cell.Set(cpu ? std::optional<uint64_t>(*cpu) : std::nullopt);
      case instants::kArgs: {
        // An object that is cut would be none.
        if (!instants_->texts().Take(text::TextBytes(event.arguments)))
          return cell.Set(std::string_view("{}"));
        fmt::memory_buffer members;
        text::AppendMembers(members, event.arguments);
        return PutArgs(cell, *instants_, {members.data(), members.size()});
      }
      case instants::kId:
        return cell.SetId(IdOf(event));
      case instants::kKoid:
        return cell.SetId(event.thread.thread);
      case instants::kProvider:
        return PutText(cell, &texts_, provider_name_);
      default:
        return cell.SetId(StackOf(event));
    }
  });
}

void EventRows::AddCounter(const fxt::Event& event, uint64_t time) {
  if (!Chooses(*counters_, time, event.thread.thread)) {
    return counters_->PassOver(event.arguments.size());
  }
  const TaskRef task{event.thread.thread, event.thread.process};
  for (const fxt::Argument& series : event.arguments) {
    counters_->Add([&](uint8_t column, Cell& cell) {
      switch (column) {
        case counters::kTs:
          return cell.Set(time);
        case counters::kCategory:
          return cell.Set(counters_->KeepClean(event.category.text));
        case counters::kName:
          return cell.Set(counters_->KeepClean(event.name.text));
        case counters::kSeries:
          return cell.Set(counters_->KeepClean(series.name.text));
        case counters::kValue:
          return cell.Set(NumberOf(series.value));
        case counters::kId:
          return cell.SetId(event.payload);
        case counters::kTid:
          return PutTask<TaskColumn::kTid>(cell, &texts_, names_, task);
        case counters::kPid:
          return PutTask<TaskColumn::kPid>(cell, &texts_, names_, task);
        default:
          return PutText(cell, &texts_, provider_name_);
      }
    });
  }
}

facts::OpenSpan EventRows::MakeOpen(const fxt::Event& event, uint64_t time) {
  facts::OpenSpan span{.time = time,
                       .thread = event.thread,
                       .category = std::string(event.category.text),
                       .name = std::string(event.name.text),
                       .members = "",
                       .cpu = CpuOf(event),
                       .id = IdOf(event),
                       .owner = owner_,
                       .provider_name = provider_name_};
  if (!with_arguments_ || event.arguments.empty()) return span;
  // Without room it counts as cut here: a small file can ask for gigabytes of arguments.
  const size_t bytes = text::TextBytes(event.arguments);
  if (!spans_->texts().HasRoom(bytes) && !spans_->texts().Take(bytes)) return span;
  fmt::memory_buffer members;
  text::AppendMembers(members, event.arguments);
  span.members = fmt::to_string(members);
  return span;
}

void EventRows::AddSpanEvent(const fxt::Reader& reader, const fxt::Event& event, uint64_t time) {
  if (event.type == fxt::EventType::kDurationBegin || event.type == fxt::EventType::kAsyncBegin) {
    if (with_arguments_ && !open_.HasRoom(text::TextBytes(event.arguments))) return;
    return open_.Begin(MakeOpen(event, time));
  }
  facts::OpenSpan span = MakeOpen(event, time);
  switch (event.type) {
    case fxt::EventType::kDurationComplete: {
      const uint64_t end = reader.ToNanoseconds(event.payload);
      return AddSpan(span, end > time ? end - time : 0);
    }
    default:
      break;
  }
  auto begun = open_.End(owner_, event);
  if (!begun) {
    // It began before the capture.
    span.time = std::min(first_, time);
    return AddSpan(span, std::nullopt);
  }
  if (!begun->members.empty() && !span.members.empty()) begun->members += ',';
  begun->members += span.members;
  AddSpan(*begun, time > begun->time ? time - begun->time : 0);
}

void EventRows::AddSpan(const facts::OpenSpan& span, const std::optional<uint64_t>& duration) {
  if (!Chooses(*spans_, span.time, span.thread.thread) || !spans_->filter().HasCpu(span.cpu)) {
    return spans_->PassOver();
  }
  const TaskRef task{span.thread.thread, span.thread.process};
  spans_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case spans::kTs:
        return cell.Set(span.time);
      case spans::kDur:
        return cell.Set(duration);
      case spans::kCategory:
        return cell.Set(spans_->KeepClean(span.category));
      case spans::kName:
        return cell.Set(spans_->KeepClean(span.name));
      case spans::kTid:
        return PutTask<TaskColumn::kTid>(cell, &texts_, names_, task);
      case spans::kPid:
        return PutTask<TaskColumn::kPid>(cell, &texts_, names_, task);
      case spans::kThread:
        return PutTask<TaskColumn::kThread>(cell, &texts_, names_, task);
      case spans::kProcess:
        return PutTask<TaskColumn::kProcess>(cell, &texts_, names_, task);
      case spans::kCpu:
        return cell.Set(span.cpu ? std::optional<uint64_t>(*span.cpu) : std::nullopt);
      case spans::kArgs:
        if (!spans_->texts().Take(span.members.size())) return cell.Set(std::string_view("{}"));
        return PutArgs(cell, *spans_, span.members);
      case spans::kId:
        return cell.SetId(span.id);
      case spans::kKoid:
        return cell.SetId(span.thread.thread);
      default:
        return PutText(cell, &texts_, span.provider_name);
    }
  });
}

void EventRows::AddSettings(const facts::SettingsEvent& event, uint64_t time) {
  if (!settings_->filter().HasTime(time)) return settings_->PassOver(event.values.size());
  for (const fxt::Argument& setting : event.values) {
    settings_->Add([&](uint8_t column, Cell& cell) {
      switch (column) {
        case settings::kTs:
          return cell.Set(time);
        case settings::kScope:
          return cell.Set(schema::NameOf(event.scope));
        case settings::kSubject:
          return event.subject.empty() ? cell.SetNull()
                                       : cell.Set(settings_->KeepClean(event.subject));
        case settings::kPid:
          return PutNumber(cell, names_, event.process);
        case settings::kKoid:
          return cell.SetId(event.process);
        case settings::kName:
          return cell.Set(settings_->KeepClean(setting.name.text));
        default: {
          const std::string value = facts::SettingText(setting.value);
          return value.empty() ? cell.SetNull() : cell.Set(settings_->KeepClean(value));
        }
      }
    });
  }
}

void EventRows::AddLoss(const fxt::Event& event, uint64_t time) {
  if (event.category.text != schema::kRecorderName) return;
  if (const auto loss = facts::AsLoss(event)) {
    lost_events_ += loss->count.value_or(0);
    std::optional<uint32_t> cpu;
    if (loss->cpu && *loss->cpu >= 0) cpu = static_cast<uint32_t>(*loss->cpu);
    PutLoss(time, "lost", cpu, loss->category, loss->count);
  } else if (const auto cpu = facts::AsUnseenSwitch(event); cpu && names_.is_kernels()) {
    ++unseen_switches_;
    const auto number = *cpu < 0 ? std::nullopt : std::optional(static_cast<uint32_t>(*cpu));
    PutLoss(time, "unseen_switch", number, schema::category::kSched, {});
  }
}

void EventRows::PutLoss(uint64_t time, std::string_view kind, const std::optional<uint32_t>& cpu,
                        const std::optional<std::string_view>& category,
                        const std::optional<uint64_t>& count) {
  if (losses_ == nullptr) return;
  if (!losses_->filter().HasTime(time) || !losses_->filter().HasCpu(cpu)) {
    return losses_->PassOver();
  }
  losses_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case losses::kTs:
        return cell.Set(time);
      case losses::kKind:
        return cell.Set(kind);
      case losses::kCpu:
        return cell.Set(cpu ? std::optional<uint64_t>(*cpu) : std::nullopt);
      case losses::kCategory:
        return category ? cell.Set(losses_->KeepClean(*category)) : cell.SetNull();
      case losses::kCount:
        return cell.Set(count);
      default:
        return PutText(cell, &texts_, provider_name_);
    }
  });
}

void EventRows::AddLog(const fxt::Log& log, uint64_t time) {
  if (logs_ == nullptr) return;
  const auto cpu = CpuOf(log.thread.thread);
  if (!Chooses(*logs_, time, log.thread.thread) || !logs_->filter().HasCpu(cpu)) {
    return logs_->PassOver();
  }
  const TaskRef task{log.thread.thread, log.thread.process};
  logs_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case logs::kTs:
        return cell.Set(time);
      case logs::kMessage:
        return cell.Set(logs_->KeepClean(log.message));
      case logs::kTid:
        return PutTask<TaskColumn::kTid>(cell, &texts_, names_, task);
      case logs::kPid:
        return PutTask<TaskColumn::kPid>(cell, &texts_, names_, task);
      case logs::kThread:
        return PutTask<TaskColumn::kThread>(cell, &texts_, names_, task);
      case logs::kProcess:
        return PutTask<TaskColumn::kProcess>(cell, &texts_, names_, task);
      case logs::kCpu:
        return cell.Set(cpu ? std::optional<uint64_t>(*cpu) : std::nullopt);
      case logs::kKoid:
        return cell.SetId(log.thread.thread);
      default:
        return PutText(cell, &texts_, provider_name_);
    }
  });
}

void EventRows::AddBlob(const fxt::Reader& reader, const fxt::Blob& blob) {
  const std::string type = NameOfBlobType(blob.type);
  BlobRow row{.name = blob.name.text, .type = type, .bytes = blob.payload.size()};
  if (const auto view = branches::LastBranchView::Of(blob)) {
    row.time = reader.ToNanoseconds(view->time());
    row.cpu = view->cpu();
    latest_ = std::max(latest_, row.time);
  } else {
    row.time = TimeBefore();
  }
  PutBlob(row);
}

void EventRows::PutBlob(const BlobRow& row) {
  if (blobs_ == nullptr) return;
  const RowFilter& filter = blobs_->filter();
  const auto tid = row.thread ? names_.NumberOf(*row.thread) : std::nullopt;
  if (!filter.HasTime(row.time) || !filter.HasCpu(row.cpu) || !filter.HasTid(tid)) {
    return blobs_->PassOver();
  }
  blobs_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case blobs::kTs:
        return cell.Set(row.time);
      case blobs::kName:
        return cell.Set(blobs_->KeepClean(row.name));
      case blobs::kType:
        return cell.Set(blobs_->KeepClean(row.type));
      case blobs::kBytes:
        return cell.Set(uint64_t{row.bytes});
      case blobs::kCpu:
        return cell.Set(row.cpu ? std::optional<uint64_t>(*row.cpu) : std::nullopt);
      case blobs::kTid:
        return cell.SetId(tid);
      default:
        return PutText(cell, &texts_, provider_name_);
    }
  });
}

void EventRows::Finish() {
  if (spans_ == nullptr) return;
  for (const facts::OpenSpan& span : open_.Take()) AddSpan(span, std::nullopt);
}

}  // namespace tables
