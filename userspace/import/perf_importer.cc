// SPDX-License-Identifier: BSD-2-Clause
#include "import/perf_importer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "fxt/utf8.h"
#include "schema/koid.h"
#include "translate/file/session_info.h"
#include "util/byte_cursor.h"

namespace importer {

namespace {

using model::ThreadHandle;

constexpr size_t kMaxTextBytes = 200;
// "Profiler record": the frame count has eight bits.
constexpr size_t kMaxFrames = 255;

// Removes the reference symbol: perf names the mapping of the kernel's text
// "[kernel.kallsyms]_text", but
// "[kernel.kallsyms]" in the table of build ids.
std::string_view WithoutReferenceSymbol(std::string_view file) {
  const size_t end = file.find(']');
  if (file.empty() || file.front() != '[' || end == std::string_view::npos) return file;
  return file.substr(0, end + 1);
}

std::string ClockName(const perf_event_attr& attr) {
  if (!attr.use_clockid) return "perf";  // perf's default is the scheduler's clock
  switch (attr.clockid) {
    case CLOCK_MONOTONIC:
      return "CLOCK_MONOTONIC";
    case CLOCK_MONOTONIC_RAW:
      return "CLOCK_MONOTONIC_RAW";
    case CLOCK_REALTIME:
      return "CLOCK_REALTIME";
    case CLOCK_BOOTTIME:
      return "CLOCK_BOOTTIME";
    case CLOCK_TAI:
      return "CLOCK_TAI";
    default:
      return fmt::format("clock {}", int32_t{attr.clockid});
  }
}

std::string Join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// A field of a tracepoint's raw data.
struct RawField {
  std::string_view name;
  size_t offset = 0;
  size_t size = 0;  // 4 or 8: an integer; kCommBytes: the name of a task
};
constexpr size_t kCommBytes = 16;

// The layouts of 64-bit kernels (include/trace/events/sched.h), after eight common bytes.
constexpr RawField kSwitchFields[] = {
    {"prev_comm", 8, kCommBytes},  {"prev_pid", 24, 4}, {"prev_prio", 28, 4}, {"prev_state", 32, 8},
    {"next_comm", 40, kCommBytes}, {"next_pid", 56, 4}, {"next_prio", 60, 4},
};
constexpr RawField kWakeupFields[] = {
    {"comm", 8, kCommBytes}, {"pid", 24, 4}, {"prio", 28, 4}, {"target_cpu", 32, 4}};
// Kernels before 5.14 have a field "success" before the CPU.
constexpr RawField kOldWakeupFields[] = {
    {"comm", 8, kCommBytes}, {"pid", 24, 4}, {"prio", 28, 4}, {"target_cpu", 36, 4}};
constexpr RawField kMigrateFields[] = {{"comm", 8, kCommBytes},
                                       {"pid", 24, 4},
                                       {"prio", 28, 4},
                                       {"orig_cpu", 32, 4},
                                       {"dest_cpu", 36, 4}};

// The fields of a scheduling event; empty for other events and other sizes. perf pads the raw data
// so that it ends, with its size, at a multiple of eight bytes.
std::span<const RawField> FieldsOf(std::string_view event, size_t bytes) {
  constexpr size_t kSwitchBytes = 68;
  constexpr size_t kWakeupBytes = 36;
  constexpr size_t kLongBytes = 44;
  if (event == "sched:sched_switch" && bytes == kSwitchBytes) return kSwitchFields;
  if (event == "sched:sched_migrate_task" && bytes == kLongBytes) return kMigrateFields;
  if (event != "sched:sched_wakeup" && event != "sched:sched_waking" &&
      event != "sched:sched_wakeup_new") {
    return {};
  }
  if (bytes == kWakeupBytes) return kWakeupFields;
  return bytes == kLongBytes ? std::span<const RawField>(kOldWakeupFields)
                             : std::span<const RawField>();
}

template <typename T>
T ValueAt(util::Bytes raw, size_t offset) {
  T value;
  std::memcpy(&value, raw.data() + offset, sizeof(value));
  return value;
}

}  // namespace

PerfImporter::PerfImporter(perf::FileReader& reader, fxt::ProviderWriter& writer)
    : reader_(reader),
      file_(writer, table_),
      tasks_(file_),
      mappings_(file_),
      losses_(file_, loss_stats_),
      stacks_(writer) {}

util::Status PerfImporter::Run(const Progress& progress) {
  constexpr uint64_t kProgressStep = 4096;
  util::Status status = util::Ok();
  for (uint64_t records = 1;; ++records) {
    util::Result<std::optional<perf::FileRecord>> next = reader_.Next();
    if (!next) {
      status = next.TakeError();
      break;
    }
    if (!next->has_value()) break;
    Take(**next);
    DrainOrdered();
    if (progress && records % kProgressStep == 0 && !progress((**next).raw.file_offset)) break;
  }
  order_.Finish();
  DrainOrdered();
  if (!head_written_) WriteHead();
  stats_.branch_stacks = stacks_.samples();
  stats_.branches = stacks_.branches();
  stats_.late = order_.late();
  stats_.dropped_mappings = mappings_.dropped();
  stats_.refused_records += file_.refused_records();
  stats_.truncated = reader_.truncated();
  return status;
}

void PerfImporter::NoteUnreadable(uint64_t file_offset, const std::string& why) {
  if (stats_.unreadable++ == 0) {
    stats_.first_unreadable = fmt::format("at byte {}: {}", file_offset, why);
  }
}

void PerfImporter::Take(const perf::FileRecord& raw) {
  const uint32_t type = raw.raw.header.type;
  if (type == perf::kRecordFinishedRound) order_.FinishRound();
  // Skips records of the perf tool, which describe the file. perf::FileReader handles them.
  if (type >= perf::kRecordHeaderAttr) {
    if (type == perf::kRecordAuxtrace || type == perf::kRecordHeaderTracingData) {
      ++stats_.skipped[perf::RecordTypeName(type)];
    }
    return;
  }
  if (!raw.event && type == PERF_RECORD_SAMPLE) {
    ++stats_.unknown_events;
    return;
  }
  const util::Result<perf::Record> record =
      perf::DecodeRecord(raw.raw.header, raw.raw.body, reader_.format(raw));
  if (!record) {
    NoteUnreadable(raw.raw.file_offset, record.error().message);
    return;
  }
  order_.Add(raw, perf::TimeOf(*record));
}

void PerfImporter::DrainOrdered() {
  while (std::optional<perf::OrderedRecord> ordered = order_.Next()) Handle(*ordered);
}

void PerfImporter::Handle(const perf::OrderedRecord& ordered) {
  static const perf::EventDescription kNoEvent;
  const perf::EventDescription& event =
      ordered.event ? reader_.info().events[*ordered.event] : kNoEvent;
  const util::Result<perf::Record> record =
      perf::DecodeRecord(ordered.header, ordered.body, event.format);
  if (!record) return;  // impossible: it was decoded once before sorting
  if (ordered.time != 0) time_ = ordered.time;

  if (const auto* sample = std::get_if<perf::Sample>(&record->body)) {
    HandleSample(*record, *sample, event);
  } else if (const auto* comm = std::get_if<perf::CommRecord>(&record->body)) {
    if (comm->exec) mappings_.OnExec(comm->pid);
    tasks_.OnName(comm->pid, comm->tid, comm->name);
  } else if (const auto* fork = std::get_if<perf::ForkRecord>(&record->body)) {
    HandleFork(*fork);
  } else if (const auto* exit = std::get_if<perf::ExitRecord>(&record->body)) {
    tasks_.OnExit(exit->tid);
    if (exit->tid == exit->pid) mappings_.OnExit(exit->pid);
  } else if (const auto* mmap = std::get_if<perf::MmapRecord>(&record->body)) {
    HandleMmap(*mmap);
  } else if (const auto* throttle = std::get_if<perf::ThrottleRecord>(&record->body)) {
    HandleThrottle(*record, *throttle);
  } else {
    uint64_t count = 0;
    if (const auto* lost = std::get_if<perf::LostRecord>(&record->body)) count = lost->count;
    if (const auto* lost = std::get_if<perf::LostSamplesRecord>(&record->body)) {
      count = lost->count;
    }
    if (record->type == PERF_RECORD_LOST || record->type == PERF_RECORD_LOST_SAMPLES) {
      if (!head_written_) WriteHead();
      stats_.lost += count;
      losses_.OnLoss(record->where.cpu ? static_cast<int32_t>(*record->where.cpu) : -1, time_,
                     FXR_CATEGORY_LBR, count);
    } else {
      ++stats_.skipped[perf::RecordTypeName(record->type)];
    }
  }
}

void PerfImporter::HandleFork(const perf::ForkRecord& fork) {
  tasks_.OnFork(fork.pid, fork.tid, fork.parent_tid);
  if (fork.tid == fork.pid) mappings_.OnFork(fork.parent_pid, fork.pid);
}

void PerfImporter::HandleMmap(const perf::MmapRecord& mmap) {
  translate::Mapping mapping;
  mapping.start = mmap.address;
  mapping.size = mmap.size;
  mapping.file_offset = mmap.file_offset;
  mapping.flags = static_cast<uint8_t>(mmap.protection & (PROT_READ | PROT_WRITE | PROT_EXEC));
  mapping.file = mmap.file;
  mapping.build_id = mmap.build_id;
  if (mapping.build_id.empty()) mapping.build_id = BuildIdOf(std::string(mmap.file), mmap.kernel);
  mappings_.OnMapping(
      mmap.pid == perf::MmapRecord::kKernelPid ? translate::MappingWriter::kKernel : mmap.pid,
      mapping, time_);
}

util::BuildId PerfImporter::BuildIdOf(const std::string& file, bool kernel) {
  // In pipe mode the table grows while reading.
  const std::vector<perf::FileBuildId>& table = reader_.info().build_ids;
  for (; build_ids_taken_ < table.size(); ++build_ids_taken_) {
    build_ids_.emplace(table[build_ids_taken_].file, table[build_ids_taken_].build_id);
  }
  const auto found = build_ids_.find(kernel ? std::string(WithoutReferenceSymbol(file)) : file);
  return found == build_ids_.end() ? util::BuildId{} : found->second;
}

void PerfImporter::HandleThrottle(const perf::Record& record,
                                  const perf::ThrottleRecord& throttle) {
  const ThreadHandle thread =
      tasks_.OnSample(record.where.pid.value_or(0), record.where.tid.value_or(0), record.where.cpu);
  translate::OpenRecord out = file_.Begin(thread);
  fxt::Argument cpu;
  if (record.where.cpu)
    cpu = {out.Ref(translate::CommonString::kCpu), static_cast<int32_t>(*record.where.cpu)};
  out.Write(fxt::Event{.type = fxt::EventType::kInstant,
                       .timestamp = time_,
                       .thread = out.thread(),
                       .category = out.Intern("perf"),
                       .name = out.Intern(throttle.throttled ? "throttle" : "unthrottle"),
                       .arguments = {&cpu, record.where.cpu ? size_t{1} : size_t{0}}});
}

void PerfImporter::HandleSample(const perf::Record& record, const perf::Sample& sample,
                                const perf::EventDescription& event) {
  if (!head_written_) WriteHead();
  ++stats_.samples;
  const uint32_t pid = record.where.pid.value_or(0);
  const ThreadHandle thread = tasks_.OnSample(pid, record.where.tid.value_or(0), record.where.cpu);
  if (pid != 0 && pid <= schema::kTidMask) mappings_.OnSample(pid, thread, time_);
  mappings_.OnSample(translate::MappingWriter::kKernel, tasks_.IdleOf(0), time_);

  if (sample.branches) WriteBranchStack(sample, event, thread);
  const bool says_more = sample.address || sample.weight || sample.data_source ||
                         sample.transaction || sample.physical_address || sample.cgroup ||
                         sample.data_page_size || sample.code_page_size ||
                         (sample.raw && !FieldsOf(event.name, sample.raw->size()).empty());
  if (!sample.branches || says_more) WriteInstant(sample, event, thread);
  if (sample.callchain && !sample.callchain->empty()) WriteBacktrace(sample, thread);
  CountDroppedFields(sample, event);
}

void PerfImporter::WriteBranchStack(const perf::Sample& sample, const perf::EventDescription& event,
                                    ThreadHandle thread) {
  perf::TakeBranchStack(sample, &sample_);
  sample_.time = time_;
  if (reader_.info().events.size() > 1) {
    sample_.event = fxt::ToValidUtf8(event.name);
  } else {
    sample_.event.clear();
  }
  file_.CountRefusal(stacks_.Write(sample_, file_.Mention(thread)));
}

void PerfImporter::WriteInstant(const perf::Sample& sample, const perf::EventDescription& event,
                                ThreadHandle thread) {
  translate::OpenRecord out = file_.Begin(thread);
  std::array<fxt::Argument, fxt::kMaxArguments> arguments;
  size_t count = 0;
  if (sample.where.cpu) {
    arguments[count++] = {out.Ref(translate::CommonString::kCpu),
                          static_cast<int32_t>(*sample.where.cpu)};
  }
  const auto pointer = [&](std::string_view name, const std::optional<uint64_t>& value) {
    if (value) arguments[count++] = {out.Intern(name), fxt::PointerValue{*value}};
  };
  const auto number = [&](std::string_view name, const std::optional<uint64_t>& value) {
    if (value) arguments[count++] = {out.Intern(name), *value};
  };
  pointer("ip", sample.ip);
  number("period", sample.period);
  pointer("address", sample.address);
  pointer("physical_address", sample.physical_address);
  number("weight", sample.weight);
  number("data_source", sample.data_source);
  number("transaction", sample.transaction);
  number("cgroup", sample.cgroup);
  number("data_page_size", sample.data_page_size);
  number("code_page_size", sample.code_page_size);
  std::array<std::string, 2> comms;
  size_t comm = 0;
  for (const RawField& field :
       sample.raw ? FieldsOf(event.name, sample.raw->size()) : std::span<const RawField>()) {
    if (count == arguments.size()) break;
    fxt::Argument& argument = arguments[count++];
    argument.name = out.Intern(field.name);
    if (field.size == kCommBytes) {
      const std::string_view text =
          util::TextUntilZero(sample.raw->subspan(field.offset, kCommBytes));
      argument.value = fxt::InlineUtf8(text, comms[comm++]);
    } else if (field.size == sizeof(int64_t)) {
      argument.value = ValueAt<int64_t>(*sample.raw, field.offset);
    } else {
      argument.value = ValueAt<int32_t>(*sample.raw, field.offset);
    }
  }
  out.Write(fxt::Event{.type = fxt::EventType::kInstant,
                       .timestamp = time_,
                       .thread = out.thread(),
                       .category = out.Intern("perf"),
                       .name = out.Intern(fxt::CutUtf8(event.name, kMaxTextBytes)),
                       .arguments = {arguments.data(), count}});
}

void PerfImporter::WriteBacktrace(const perf::Sample& sample, ThreadHandle thread) {
  frames_.clear();
  for (const uint64_t frame : *sample.callchain) {
    // Skips the markers between kernel and user frames.
    if (frame >= static_cast<uint64_t>(PERF_CONTEXT_MAX)) continue;
    if (frames_.size() == kMaxFrames) {
      ++stats_.dropped_fields["frames beyond 255"];
      break;
    }
    frames_.push_back(frame);
  }
  if (frames_.empty()) return;
  translate::OpenRecord out = file_.Begin(thread);
  out.Write(fxt::ProfilerBacktrace{.timestamp = time_, .thread = out.thread(), .frames = frames_});
}

void PerfImporter::CountDroppedFields(const perf::Sample& sample,
                                      const perf::EventDescription& event) {
  if (sample.raw && FieldsOf(event.name, sample.raw->size()).empty())
    ++stats_.dropped_fields["raw data"];
  if (sample.read) ++stats_.dropped_fields["counter values"];
  if (sample.user_registers || sample.interrupt_registers) ++stats_.dropped_fields["registers"];
  if (sample.user_stack && !sample.user_stack->empty()) ++stats_.dropped_fields["stack copy"];
  if (sample.aux && !sample.aux->empty()) ++stats_.dropped_fields["aux data"];
  if (!sample.trailing.empty()) ++stats_.dropped_fields["fields of newer kernels"];
}

void PerfImporter::WriteHead() {
  head_written_ = true;
  const perf::FileInfo& info = reader_.info();
  translate::SessionInfo session;
  session.version = info.perf_version.empty() ? "perf" : "perf " + info.perf_version;
  session.kernel = info.os_release;
  session.machine = info.architecture;
  session.cpu_model = info.cpu_description;
  session.host = info.host_name;
  session.command = Join(info.command_line);
  std::vector<std::string> names;
  for (const perf::EventDescription& event : info.events) names.push_back(event.name);
  session.categories = Join(names);
  translate::WriteSession(file_, losses_.RecorderTrack(), time_, session);

  translate::OpenRecord out = file_.Begin(losses_.RecorderTrack());
  const std::string clock =
      info.events.empty() ? std::string("perf") : ClockName(info.events.front().attr);
  const std::array arguments = {
      fxt::Argument{out.Intern("format"), out.Intern("perf.data")},
      fxt::Argument{out.Intern("clock"), out.Intern(clock)},
  };
  out.Write(fxt::Event{.type = fxt::EventType::kInstant,
                       .timestamp = time_,
                       .thread = out.thread(),
                       .category = out.Ref(translate::CommonString::kCategoryRecorder),
                       .name = out.Intern("import"),
                       .arguments = arguments});
}

}  // namespace importer
