// SPDX-License-Identifier: BSD-2-Clause
#include "tables/scan.h"

#include <algorithm>
#include <utility>

#include "facts/read_loop.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "measure/collect/session_info.h"
#include "text/argument_json.h"

namespace tables {
namespace {

// Records between two checks for the end of the wanted rows.
constexpr uint64_t kStep = 256;
// Bytes that are read beyond the first record after all wanted rows, because records may be out of
// order.
constexpr uint64_t kOrderBytes = uint64_t{1} << 20;
constexpr uint64_t kPrime = 0x100000001b3;  // of FNV-1a

fxt::ReaderOptions Options(fxt::TableBudget* shared) {
  fxt::ReaderOptions options;
  options.shared_tables = shared;
  options.max_diagnostics = 1;
  return options;
}

std::optional<std::string_view> NotEmpty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

std::optional<uint64_t> TimeIf(const TaskNames::Seen& seen, uint64_t time) {
  return seen.first > seen.last ? std::nullopt : std::optional(time);
}

}  // namespace

Scan::Scan(std::string file, fxt::ByteSource& source, TextPool& texts, fxt::TableBudget* shared)
    : file_(std::move(file)),
      shared_(shared),
      reader_(source, Options(shared)),
      names_(texts, shared) {}

bool Scan::is_incomplete() const {
  return names_.is_full() || (facts_ && facts_->timeline().is_full()) ||
         (events_ && events_->left_out() != 0) ||
         (requests_ && requests_->builder().left_out() != 0) ||
         (stacks_ && stacks_->left_out() != 0);
}

ScanFaults Scan::faults() const {
  const fxt::DiagnosticLog& found = reader_.diagnostics();
  return {.error = error(),
          .is_cut_short = reader_.truncated(),
          .is_incomplete = is_incomplete(),
          .malformed = found.count(fxt::DiagnosticClass::kMalformed),
          .dropped_names = found.count(fxt::DiagnosticKind::kTableLimit),
          .cut_texts = cut_texts(),
          .paths_left_out = requests_ ? requests_->builder().paths_left_out() : 0};
}

void Scan::Want(Table table, uint64_t columns, const RowFilter& filter) {
  batches_.Want(table, columns, filter);
  switch (table) {
    case Table::kCaptures:
    case Table::kProcesses:
    case Table::kThreads:
    case Table::kCpus:
    case Table::kSpans:  // their rows come when they end
    case Table::kRequests:
    case Table::kPath:
    case Table::kStacks:
    case Table::kFrames:
    case Table::kSymbols:
      needs_all_ = true;
      break;
    default:
      break;
  }
  from_ = std::min(from_, filter.from);
  until_ = std::max(until_, filter.to);
}

void Scan::Start() {
  const auto wants = [&](Table table) { return batches_.of(table) != nullptr; };
  const auto wants_cpu = [&](Table table, uint8_t column) {
    const RowBatch* batch = batches_.of(table);
    return batch != nullptr && (batch->Wants(column) || batch->filter().cpu);
  };
  const bool with_times = wants(Table::kThreads) || wants(Table::kProcesses);
  const bool with_paths = wants(Table::kRequests) || wants(Table::kPath);
  const bool with_timeline =
      with_times || with_paths || wants(Table::kSlices) || wants(Table::kIdle) ||
      wants(Table::kWaits) || wants(Table::kCpus) || wants(Table::kCaptures) ||
      wants_cpu(Table::kInstants, instants::kCpu) || wants_cpu(Table::kSpans, spans::kCpu) ||
      wants_cpu(Table::kLogs, logs::kCpu) || wants_cpu(Table::kBlobs, blobs::kCpu);
  facts_ = std::make_unique<FactRows>(names_, batches_, with_timeline, with_times, shared_,
                                      with_paths ? path::PathBuilder::kBytesOfThread : 0);
  if (with_paths) {
    requests_ = std::make_unique<RequestRows>(names_, facts_->timeline(), batches_);
    facts_->SetPaths(&requests_->builder());
  }
  events_ = std::make_unique<EventRows>(names_, *facts_, batches_, with_times);
  if (wants(Table::kStacks) || wants(Table::kFrames) || wants(Table::kSymbols)) {
    stacks_ = std::make_unique<StackRows>(names_, batches_);
  }
  needs_events_ = with_times || wants(Table::kCaptures) || wants(Table::kInstants) ||
                  wants(Table::kSpans) || wants(Table::kCounters) || wants(Table::kLogs) ||
                  wants(Table::kLosses) || wants(Table::kBlobs) || wants(Table::kSettings);
}

void Scan::NoteFirst() {
  for (const uint64_t word : reader_.words()) hash_ = (hash_ ^ word) * kPrime;
  const auto time = facts::TimeOf(reader_.record(), reader_.provider());
  if (!time) return;
  identified_ = true;
  // The upper bits depend on all before them, the lower ones do not.
  hash_ ^= hash_ >> 32;
  hash_ *= 0x9e3779b97f4a7c15;
  first_ = *time;
  events_->SetFirst(*time);
}

void Scan::Add() {
  ++records_;
  if (!identified_) [[unlikely]] {
    NoteFirst();
  }
  if (past_at_) CheckOrder();
  if (facts_->Add(reader_)) return;
  names_.Note(reader_);
  if (session_.empty()) {
    const auto* event = std::get_if<fxt::Event>(&reader_.record());
    if (event != nullptr && facts::IsSession(*event) && names_.is_kernels()) {
      NoteSession(*event);
    }
  }
  if (needs_events_) events_->Add(reader_);
  if (requests_) requests_->builder().Note(reader_);
  if (stacks_) stacks_->Add(reader_);
}

void Scan::NoteSession(const fxt::Event& event) {
  measure::ReadSession(event, capture_);
  fmt::memory_buffer members;
  text::AppendMembers(members, event.arguments);
  session_ = fmt::format("{{{}}}", std::string_view(members.data(), members.size()));
}

bool Scan::IsPast() const {
  if (needs_all_ || out_of_order_ || until_ == INT64_MAX || !names_.ours()) return false;
  const bool events_are_past =
      until_ < 0 || std::max(events_->latest(), facts_->latest()) > static_cast<uint64_t>(until_);
  return events_are_past && facts_->IsPast(from_, until_, capture_.cpus);
}

// The fast path takes no record that goes back in time, so they all come here.
void Scan::CheckOrder() {
  const auto time = facts::TimeOf(reader_.record(), reader_.provider());
  if (time && until_ >= 0 && *time <= static_cast<uint64_t>(until_)) out_of_order_ = true;
}

// The consumer of the read loop.
struct Scan::Records {
  Scan& scan;

  void Add(const fxt::Reader&) { scan.Add(); }
  uint64_t AddFastPath(fxt::Reader& reader, uint64_t most) {
    if (!scan.identified_) [[unlikely]] {
      return 0;
    }
    const uint64_t taken = scan.facts_->AddFastPath(reader, most);
    scan.records_ += taken;
    if (scan.requests_) scan.requests_->builder().HandOut();
    return taken;
  }
};

bool Scan::Advance() {
  batches_.Clear();
  if (!facts_) Start();
  if (finished_) return false;
  Records records{*this};
  while (!batches_.full()) {
    if (facts::ReadSome(reader_, records, kStep) != fxt::ReadStatus::kRecord) {
      Finish();
      return true;
    }
    if (IsPast()) {
      if (!past_at_) past_at_ = reader_.position();
      if (reader_.position() - *past_at_ >= kOrderBytes) {
        finished_ = true;
        return true;
      }
    }
    batches_.texts().OnRead(reader_.position());
    if (records_ % (kStep * 256) == 0) return true;  // for displays of the progress
  }
  return true;
}

void Scan::Finish() {
  finished_ = true;
  if (requests_) {
    requests_->builder().Finish();
    facts_->SetPaths(nullptr);
  }
  facts_->Finish();
  events_->Finish();
  names_.FinishTimes();
  if (batches_.of(Table::kCpus) != nullptr) AddCpus();
  if (batches_.of(Table::kThreads) != nullptr) AddThreads();
  if (batches_.of(Table::kProcesses) != nullptr) AddProcesses();
  if (batches_.of(Table::kCaptures) != nullptr) AddCapture();
}

void Scan::AddCpus() {
  RowBatch& batch = *batches_.of(Table::kCpus);
  const auto& cpus = facts_->cpus();
  for (uint32_t number = 0; number < cpus.size(); ++number) {
    const auto& cpu = cpus[number];
    if (cpu.switches + cpu.wakeups + cpu.unknown_ns == 0) continue;
    if (!batch.filter().HasCpu(number)) {
      batch.PassOver();
      continue;
    }
    batch.Add([&](uint8_t column, Cell& cell) {
      switch (column) {
        case cpus::kCpu:
          return cell.Set(uint64_t{number});
        case cpus::kSwitches:
          return cell.Set(cpu.switches);
        case cpus::kWakeups:
          return cell.Set(cpu.wakeups);
        case cpus::kBusyNs:
          return cell.Set(cpu.busy_ns);
        case cpus::kIdleNs:
          return cell.Set(cpu.idle_ns);
        default:
          return cell.Set(cpu.unknown_ns);
      }
    });
  }
}

void Scan::AddThreads() {
  RowBatch& batch = *batches_.of(Table::kThreads);
  for (const TaskNames::Thread& thread : names_.threads()) {
    const auto tid = names_.NumberOf(thread.koid);
    const bool is_known = thread.has_record || thread.seen.first <= thread.seen.last;
    if (thread.idle || !tid || !is_known) continue;
    const auto process = TaskNames::ProcessOf(thread);
    if (!batch.filter().HasTid(tid)) {
      batch.PassOver();
      continue;
    }
    batch.Add([&](uint8_t column, Cell& cell) {
      switch (column) {
        case threads::kTid:
          return cell.SetId(tid);
        case threads::kKoid:
          return cell.SetId(thread.koid);
        case threads::kPid:
          return PutNumber(cell, names_, process);
        case threads::kName:
          return PutText(cell, &batches_.texts(), thread.name);
        case threads::kProcess:
          return PutText(cell, &batches_.texts(), names_.ProcessName(process));
        case threads::kFirstTs:
          return cell.Set(TimeIf(thread.seen, thread.seen.first));
        default:
          return cell.Set(TimeIf(thread.seen, thread.seen.last));
      }
    });
  }
}

void Scan::AddProcesses() {
  RowBatch& batch = *batches_.of(Table::kProcesses);
  for (const TaskNames::Process& process : names_.processes()) {
    const auto pid = names_.NumberOf(process.koid);
    if (!pid || (process.koid == schema::kIdleProcessKoid && !process.has_record)) continue;
    batch.Add([&](uint8_t column, Cell& cell) {
      switch (column) {
        case processes::kPid:
          return cell.SetId(pid);
        case processes::kKoid:
          return cell.SetId(process.koid);
        case processes::kName:
          return PutText(cell, &batches_.texts(), process.name);
        case processes::kPpid:
          return cell.Set(process.parent);
        case processes::kUid:
          return cell.Set(process.user);
        case processes::kCgroup:
          return PutText(cell, &batches_.texts(), process.cgroup);
        case processes::kCmdline:
          return PutText(cell, &batches_.texts(), process.command_line);
        case processes::kFirstTs:
          return cell.Set(TimeIf(process.seen, process.seen.first));
        default:
          return cell.Set(TimeIf(process.seen, process.seen.last));
      }
    });
  }
}

void Scan::AddCapture() {
  RowBatch& batch = *batches_.of(Table::kCaptures);
  const auto sum = [&](uint64_t facts::TimelineState::Cpu::*what) {
    uint64_t all = 0;
    for (const auto& cpu : facts_->cpus()) all += cpu.*what;
    return all;
  };
  const auto text = [&](Cell& cell, const std::string& value) {
    if (NotEmpty(value)) {
      cell.Set(batch.KeepClean(value));
    } else {
      cell.SetNull();
    }
  };
  batch.Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case captures::kCapture:
        return cell.Set(capture_id());
      case captures::kFile:
        return cell.Set(batch.KeepClean(file_));
      case captures::kHost:
        return text(cell, capture_.host);
      case captures::kKernel:
        return text(cell, capture_.kernel);
      case captures::kRecorder:
        return text(cell, capture_.recorder);
      case captures::kStartTime:
        return cell.Set(capture_.start_time);
      case captures::kBeginTs:
        return cell.Set(facts_->begin());
      case captures::kEndTs:
        return cell.Set(facts_->latest());
      case captures::kCpus:
        return cell.Set(uint64_t{capture_.cpus != 0 ? capture_.cpus : facts_->cpus().size()});
      case captures::kRecords:
        return cell.Set(records_);
      case captures::kSwitches:
        return cell.Set(sum(&facts::TimelineState::Cpu::switches));
      case captures::kWakeups:
        return cell.Set(sum(&facts::TimelineState::Cpu::wakeups));
      case captures::kLostEvents:
        return cell.Set(events_->lost_events());
      case captures::kUnseenSwitches:
        return cell.Set(events_->unseen_switches());
      case captures::kTruncated:
        return cell.Set(uint64_t{reader_.truncated()});
      case captures::kMalformed:
        return cell.Set(reader_.diagnostics().count(fxt::DiagnosticClass::kMalformed));
      default:
        return text(cell, session_);
    }
  });
}

}  // namespace tables
