// SPDX-License-Identifier: BSD-2-Clause
#include "translate/translator.h"

#include <array>
#include <cstring>

#include "fxt/utf8.h"
#include "fxt_record/long_event.h"
#include "schema/event_info.h"
#include "schema/side_event.h"

namespace translate {
Translator::Translator(fxt::ProviderWriter& writer, model::TaskTracker& tasks,
                       const TranslatorOptions& options)
    : tracker_(tasks),
      file_(writer, tasks.table()),
      tasks_(file_, tasks, stats_, options.record_task_events),
      sched_(file_, tasks, stats_, !options.filtered),
      interrupts_(file_, tasks.identities(), stats_),
      functions_(file_, tasks.identities()),
      instants_(file_, tasks, sched_, interrupts_, functions_, stats_),
      blocks_(file_, tasks),
      waits_(file_, tasks),
      requests_(file_, tasks, options.request_names),
      power_(file_),
      spans_(file_, functions_),
      syscalls_(file_, tasks, stats_),
      log_(file_, stats_),
      losses_(file_, stats_),
      settings_(file_) {
  if (options.branches || options.stacks) mappings_.emplace(file_, tasks.identities());
  if (options.branches) branches_.emplace(file_, sched_, *mappings_, stats_);
  if (options.stacks) stacks_.emplace(file_, tasks, *mappings_, losses_.RecorderTrack());
  if (!options.probes.empty())
    probes_.emplace(file_, tasks, options.probes,
                    [this](uint32_t cpu) { return sched_.IdleOf(cpu); });
  if (!options.tracepoints.empty()) tracepoints_.emplace(file_, options.tracepoints);
  if (!options.counters.empty()) counters_.emplace(file_, tasks, options.counters);
}

std::optional<fxt::ThreadKey> Translator::MentionThread(uint32_t tid, uint32_t tgid) {
  const model::TaskTable& table = tracker_.table();
  const model::ThreadHandle handle = table.Find(tid);
  if (handle == model::kNoHandle) return std::nullopt;
  const model::ProcessHandle process = table.thread(handle).process;
  if (process == model::kNoHandle || table.process(process).tgid != tgid) return std::nullopt;
  return file_.Mention(handle);
}

void Translator::OnStart(uint64_t time) {
  tasks_.RecordFrom(time);
  WriteSession(file_, losses_.RecorderTrack(), FileTime(time), session_info_);
  EndSnapshot();
}

void Translator::EndSnapshot() {
  tracker_.EndSnapshot();
  tasks_.NameAll();
}

void Translator::OnRareSlot(uint32_t type, uint32_t cpu, uint64_t at, uint64_t body,
                            uint64_t extra) {
  if (type == FXR_SLOT_LOSS) {
    const fxr_loss_body loss = fxr_unpack_loss(body, extra);
    ++stats_.loss_slots;
    return HandleLoss(static_cast<int32_t>(cpu), at, loss.category, loss.count);
  }
  if (probes_ && ProbeTranslator::Handles(type)) return probes_->OnSlot(type, cpu, at, body, extra);
  ++stats_.events[schema::SlotInfoOf(type).category];
  switch (type) {
    case FXR_SLOT_IRQ_ENTRY:
      return interrupts_.OnIrqEntry(cpu, at, fxr_unpack_irq_entry(body, extra));
    case FXR_SLOT_IRQ_EXIT:
      return interrupts_.OnIrqExit(cpu, at, fxr_unpack_irq_exit(body, extra));
    case FXR_SLOT_SOFTIRQ_ENTRY:
      return interrupts_.OnSoftirqEntry(cpu, at, fxr_unpack_softirq_entry(body, extra));
    case FXR_SLOT_SOFTIRQ_EXIT:
      return interrupts_.OnSoftirqExit(cpu, at, fxr_unpack_softirq_exit(body, extra));
    case FXR_SLOT_SYSCALL_ENTRY:
      return syscalls_.OnEntry(at, fxr_unpack_syscall_entry(body, extra));
    case FXR_SLOT_SYSCALL_EXIT: {
      const fxr_syscall_exit_body exit = fxr_unpack_syscall_exit(body, extra);
      syscalls_.OnExit(at, exit);
      if (probes_) probes_->OnSyscallExit(at, exit.tid);
      return;
    }
    case FXR_SLOT_COUNTER:
      if (counters_ && counters_->OnSlot(cpu, at, fxr_unpack_counter(body, extra))) {
        ++stats_.recorded[FXR_CATEGORY_COUNTER];
        return;
      }
      break;
    default:
      break;
  }
  if (OnRequestSlot(type, at, body, extra)) return;
  if (OnKernelSlot(type, cpu, at, body, extra)) return;
  if (!instants_.Handles(type)) {
    ++stats_.unreadable;
    return;
  }
  if (type == FXR_SLOT_MIGRATE) ++stats_.migrations;
  instants_.OnSlot(type, cpu, at, body, extra);
}

TranslationStats Translator::stats() const {
  TranslationStats stats = stats_;
  sched_.AddFastPathCounts(stats);
  if (probes_) {
    stats.events[FXR_CATEGORY_PROBE] += probes_->stats().events;
    stats.recorded[FXR_CATEGORY_PROBE] += probes_->stats().recorded;
    stats.unmatched_ends += probes_->stats().unmatched_ends;
    stats.unreadable += probes_->stats().unreadable;
    stats.unread_arguments += probes_->stats().unread_arguments;
  }
  if (stacks_) stats.stack_ends = stacks_->end_counts();
  return stats;
}

bool Translator::CountRequest(RequestTranslator::Outcome outcome) {
  using Outcome = RequestTranslator::Outcome;
  if (outcome == Outcome::kRecorded) ++stats_.recorded[FXR_CATEGORY_REQUEST];
  if (outcome == Outcome::kNothing) ++stats_.no_request;
  if (outcome == Outcome::kUnknown) ++stats_.unmatched_ends;
  if (outcome == Outcome::kMalformed) ++stats_.unreadable;
  return true;
}

bool Translator::OnRequestSlot(uint32_t type, uint64_t at, uint64_t body, uint64_t extra) {
  switch (type) {
    case FXR_SLOT_REQUEST_RECEIVE:
      return CountRequest(requests_.OnReceive(at, fxr_unpack_request_receive(body, extra)));
    case FXR_SLOT_REQUEST_SEND:
      return CountRequest(requests_.OnSend(at, fxr_unpack_request_send(body, extra)));
    case FXR_SLOT_REQUEST_MORE:
      return CountRequest(requests_.OnMore(fxr_unpack_request_more(body, extra)));
    case FXR_SLOT_REQUEST_CLOSE:
      return CountRequest(requests_.OnClose(at, fxr_unpack_request_close(body, extra)));
    default:
      return false;
  }
}

bool Translator::OnKernelSlot(uint32_t type, uint32_t cpu, uint64_t at, uint64_t body,
                              uint64_t extra) {
  switch (type) {
    case FXR_SLOT_CPU_FREQUENCY:
      power_.OnFrequency(at, fxr_unpack_cpu_frequency(body, extra));
      return Count(FXR_CATEGORY_POWER, true);
    case FXR_SLOT_CPU_IDLE:
      power_.OnIdle(at, fxr_unpack_cpu_idle(body, extra));
      return Count(FXR_CATEGORY_POWER, true);
    case FXR_SLOT_IPI_ENTRY:
      return Count(FXR_CATEGORY_IPI,
                   spans_.OnIpi(at, interrupts_.IrqTrack(cpu), fxr_unpack_ipi_entry(body, extra)));
    case FXR_SLOT_IPI_EXIT:
      return Count(FXR_CATEGORY_IPI, spans_.OnIpiEnd(at, interrupts_.IrqTrack(cpu)));
    case FXR_SLOT_TIMER_ENTRY: {
      const auto event = fxr_unpack_timer_entry(body, extra);
      return Count(FXR_CATEGORY_TIMER,
                   spans_.OnTimer(at, TimerTrack(cpu, event.is_hrtimer), event));
    }
    case FXR_SLOT_TIMER_EXIT: {
      const auto event = fxr_unpack_timer_exit(body, extra);
      return Count(FXR_CATEGORY_TIMER, spans_.OnTimerEnd(at, TimerTrack(cpu, event.is_hrtimer)));
    }
    case FXR_SLOT_WORK_START: {
      const auto event = fxr_unpack_work_start(body, extra);
      return Count(FXR_CATEGORY_WORKQUEUE, spans_.OnWork(at, ThreadOn(cpu, event.tid), event));
    }
    case FXR_SLOT_WORK_END: {
      const auto event = fxr_unpack_work_end(body, extra);
      return Count(FXR_CATEGORY_WORKQUEUE, spans_.OnWorkEnd(at, ThreadOn(cpu, event.tid)));
    }
    case FXR_SLOT_RECLAIM_BEGIN: {
      const auto event = fxr_unpack_reclaim_begin(body, extra);
      return Count(FXR_CATEGORY_RECLAIM, spans_.OnReclaim(at, ThreadOn(cpu, event.tid), event));
    }
    case FXR_SLOT_RECLAIM_END: {
      const auto event = fxr_unpack_reclaim_end(body, extra);
      return Count(FXR_CATEGORY_RECLAIM, spans_.OnReclaimEnd(at, ThreadOn(cpu, event.tid), event));
    }
    case FXR_SLOT_LOCK_BEGIN: {
      const auto event = fxr_unpack_lock_begin(body, extra);
      return Count(FXR_CATEGORY_LOCK, spans_.OnLock(at, ThreadOn(cpu, event.tid), event));
    }
    case FXR_SLOT_LOCK_END: {
      const auto event = fxr_unpack_lock_end(body, extra);
      return Count(FXR_CATEGORY_LOCK, spans_.OnLockEnd(at, ThreadOn(cpu, event.tid), event));
    }
    case FXR_SLOT_FAULT_WAIT: {
      const auto event = fxr_unpack_fault_wait(body, extra);
      return Count(FXR_CATEGORY_FAULT, spans_.OnFaultWait(at, tracker_.Thread(event.tid), event));
    }
    case FXR_SLOT_FAULT_MAJOR: {
      const auto event = fxr_unpack_fault_major(body, extra);
      return Count(FXR_CATEGORY_FAULT, spans_.OnMajorFault(at, tracker_.Thread(event.tid), event));
    }
    case FXR_SLOT_FAULT_USER:
    case FXR_SLOT_FAULT_KERNEL:
      if (spans_.has_fault_waits()) {
        spans_.OnFault(at, ThreadOn(cpu, fxr_unpack_fault_user(body, extra).tid));
      }
      return false;
    default:
      return false;
  }
}

// Timers expire in the TIMER softirq, most hrtimers in a hardirq.
model::ThreadHandle Translator::TimerTrack(uint32_t cpu, bool is_hrtimer) {
  return is_hrtimer ? interrupts_.IrqTrack(cpu) : interrupts_.SoftirqTrack(cpu);
}

void Translator::HandleLoss(int32_t cpu, uint64_t at, uint32_t category, uint64_t count) {
  losses_.OnLoss(cpu, at, category, count);
  if (probes_ && category == FXR_CATEGORY_PROBE) probes_->OnLoss();
  if (category == FXR_CATEGORY_REQUEST) requests_.OnLoss(at);
  interrupts_.OnLoss(cpu, at, static_cast<fxr_category>(category));
  if (category == FXR_CATEGORY_LOCK || category == FXR_CATEGORY_FAULT ||
      category == FXR_CATEGORY_WORKQUEUE || category == FXR_CATEGORY_RECLAIM) {
    spans_.OnLoss(at, static_cast<fxr_category>(category));
  }
  if (cpu < 0) return;
  const auto number = static_cast<uint32_t>(cpu);
  if (category == FXR_CATEGORY_SCHED) sched_.OnLostSwitches(number, at);
  if (category == FXR_CATEGORY_IPI || category == FXR_CATEGORY_TIMER) {
    const auto known = static_cast<fxr_category>(category);
    spans_.OnLoss(at, interrupts_.IrqTrack(number), known);
    spans_.OnLoss(at, interrupts_.SoftirqTrack(number), known);
  }
}

uint32_t Translator::CreatorOf(const fxr_task& task) const {
  const model::TaskTable& table = tracker_.table();
  const model::ThreadHandle maker = table.Find(task.creator);
  return task.creator == 0 || maker == model::kNoHandle
             ? task.ppid
             : table.process(table.thread(maker).process).tgid;
}

void Translator::OnSideEvent(const fxr_side_header& header) {
  schema::VisitSideEvent(
      header, [this, at = FileTime(header.time)](const auto& event) { OnSide(at, event); });
}

void Translator::OnSide(uint64_t at, const fxr_task& event) {
  if (mappings_ && event.tid == event.tgid) mappings_->OnFork(CreatorOf(event), event.tgid);
  tasks_.OnFork(at, event);
}

void Translator::OnSide(uint64_t at, const fxr_exec& event) {
  if (mappings_) mappings_->OnExec(event.tgid);
  tasks_.OnExec(at, event);
  if (probes_) probes_->OnExec(at, event.old_tid, event.tid);
}

void Translator::OnSide(uint64_t at, const fxr_exit& event) {
  if (mappings_ && event.tid == event.tgid) mappings_->OnExit(event.tgid);
  syscalls_.OnThreadEnd(at, event.tid);
  if (probes_) probes_->OnThreadEnd(at, event.tid);
  if (const auto thread = file_.tasks().Find(event.tid); thread != model::kNoHandle) {
    spans_.OnTrackGone(thread);
  }
  tasks_.OnExit(at, event);
}

void Translator::OnSide(uint64_t at, const fxr_log& event) {
  ++stats_.events[FXR_CATEGORY_LOG];
  const model::ThreadHandle track =
      event.tid != 0 ? tracker_.Thread(event.tid) : interrupts_.IrqTrack(event.header.cpu);
  log_.OnMessage(at, track, event);
}

void Translator::OnSide(uint64_t /*at*/, const fxr_side_slot& event) {
  OnSlot(event.header.cpu, event.header.time, event.slot.commit, event.slot.body);
}

void Translator::OnSide(uint64_t /*at*/, const fxr_side_header& header) {
  if (header.type != FXR_SIDE_POKE) CountUnreadable();
}

void Translator::CountUnreadable() {
  ++stats_.events[FXR_CATEGORY_OTHER];
  ++stats_.unreadable;
}

void Translator::OnMark(uint64_t time, std::string_view name,
                        std::span<const std::pair<std::string_view, std::string>> arguments) {
  constexpr size_t kMaxArguments = 4;
  constexpr size_t kMaxTextBytes = 2000;
  const uint64_t at = FileTime(time);
  OpenRecord record = file_.Begin(losses_.RecorderTrack());
  std::array<std::string, kMaxArguments> valid;
  std::array<fxt::Argument, kMaxArguments> written;
  size_t count = 0;
  for (const auto& [key, text] : arguments) {
    if (text.empty() || count == kMaxArguments) continue;
    written[count] = {record.Intern(key), fxt::InlineUtf8(text, valid[count], kMaxTextBytes)};
    ++count;
  }
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = at,
                          .thread = record.thread(),
                          .category = record.Ref(CommonString::kCategoryRecorder),
                          .name = record.Intern(name),
                          .arguments = {written.data(), count}});
}

// Handles the long event types, as OnRareSlot handles slot types.
void Translator::OnSide(uint64_t at, const fxr_long& event) {
  if (event.category >= FXR_CATEGORIES) return CountUnreadable();
  fxr_probe_hit_long hit;
  if (probes_ && fxr_unpack_probe_hit(&event, &hit)) {
    const auto* values = static_cast<const uint64_t*>(fxr_long_bytes(&event));
    return probes_->OnHit(at, hit, {values, event.bytes / sizeof(uint64_t)});
  }
  fxr_probe_values_long values;
  if (probes_ && fxr_unpack_probe_values(&event, &values)) {
    const auto* bytes = static_cast<const std::byte*>(fxr_long_bytes(&event));
    return probes_->OnValues(event.header.cpu, at, values, {bytes, event.bytes});
  }
  ++stats_.events[event.category];
  fxr_stack_long stack;
  if (stacks_ && fxr_unpack_stack(&event, &stack) && stack.kind <= FXR_STACK_ON) {
    const auto* frames = static_cast<const uint64_t*>(fxr_long_bytes(&event));
    const uint32_t cpu = event.header.cpu;
    ++stats_.recorded[FXR_CATEGORY_STACK];
    const model::ThreadHandle thread =
        stack.tid == 0 ? interrupts_.IrqTrack(cpu) : ThreadOn(cpu, stack.tid);
    return stacks_->OnStack(at, stack, {frames, event.bytes / sizeof(uint64_t)}, thread,
                            sched_.IdleOf(cpu));
  }
  fxr_tracepoint_long tracepoint;
  if (tracepoints_ && fxr_unpack_tracepoint(&event, &tracepoint)) {
    const auto* record = static_cast<const std::byte*>(fxr_long_bytes(&event));
    const model::ThreadHandle thread = ThreadOn(event.header.cpu, tracepoint.tid);
    if (tracepoints_->OnEvent(at, tracepoint.number, {record, event.bytes}, thread)) {
      ++stats_.recorded[FXR_CATEGORY_TRACEPOINT];
      return;
    }
  }
  fxr_wait_long wait;
  if (fxr_unpack_wait(&event, &wait)) {
    const auto* bytes = static_cast<const std::byte*>(fxr_long_bytes(&event));
    if (waits_.OnWait(at, wait, {bytes, event.bytes})) {
      ++stats_.recorded[FXR_CATEGORY_WAIT];
      return;
    }
  }
  fxr_connection_long connection;
  if (fxr_unpack_connection(&event, &connection)) {
    const auto* bytes = static_cast<const std::byte*>(fxr_long_bytes(&event));
    CountRequest(requests_.OnConnection(at, connection, {bytes, event.bytes}));
    return;
  }
  fxr_request_text_long request;
  if (fxr_unpack_request_text(&event, &request)) {
    const auto* bytes = static_cast<const std::byte*>(fxr_long_bytes(&event));
    CountRequest(requests_.OnText(at, request, {bytes, event.bytes}));
    return;
  }
  fxr_request_context_long context;
  if (fxr_unpack_request_context(&event, &context) && event.bytes == FXR_THREAD_CONTEXT_ID_BYTES) {
    const auto* ids = static_cast<const std::byte*>(fxr_long_bytes(&event));
    CountRequest(requests_.OnContext(at, context, {ids, event.bytes}));
    return;
  }
  fxr_block_long block;
  if (fxr_unpack_block(&event, &block) && event.bytes == FXR_DISK_NAME_BYTES) {
    const auto* disk = static_cast<const char*>(fxr_long_bytes(&event));
    std::string name;
    const std::string_view valid =
        fxt::ToValidUtf8({disk, strnlen(disk, FXR_DISK_NAME_BYTES)}, name);
    Count(FXR_CATEGORY_BLOCK,
          blocks_.OnRequest(at, block, valid, interrupts_.IrqTrack(event.header.cpu)));
    return;
  }
  fxr_throttled_long throttled;
  if (fxr_unpack_throttled(&event, &throttled)) {
    sched_.OnThrottled(at, throttled, event.header.time,
                       tracker_.identities().CpuGroupPath(throttled.cgroup, throttled.hierarchy));
    ++stats_.recorded[FXR_CATEGORY_SCHED];
    return;
  }
  ++stats_.unreadable;
}

void Translator::OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) {
  HandleLoss(cpu, FileTime(time), category, count);
}

}  // namespace translate
