// SPDX-License-Identifier: BSD-2-Clause
// What a collector takes from instants and spans: births, execs, losses, calls and handlers.
#include <algorithm>

#include "facts/recorder_facts.h"
#include "measure/collect/collector.h"
#include "measure/collect/session_info.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace measure {
namespace {

using Does = facts::TimelineState::Cpu::Does;

}  // namespace

void Collector::AddEvent(const fxt::Reader& reader, const fxt::Event& event) {
  const uint64_t time = reader.ToNanoseconds(event.timestamp);
  if (const auto kind = SpanMeter::KindOf(event)) return AddSpan(event, *kind, time);
  timeline_.Add(reader);
  if (event.type != fxt::EventType::kInstant) return;
  if (event.category.text == schema::category::kTask) return AddTaskEvent(event, time);
  if (event.category.text == schema::category::kSched) {
    if (event.name.text != schema::event::kMigrate) return;
    const auto from =
        facts::IntegerValue(facts::FindArgument(event.arguments, schema::argument::kFrom));
    const facts::ThreadIndex index = timeline_.Find(event.thread.thread);
    if (!from || *from < 0 || *from > UINT16_MAX || index == facts::kNoThread) return;
    ThreadAt(index).moved_from = static_cast<uint32_t>(*from);
    ThreadAt(index).moved_at = time;
  } else if (event.category.text == schema::kRecorderName) {
    if (const auto loss = facts::AsLoss(event)) {
      capture_.lost_events += loss->count.value_or(0);
      spans_.NoteLoss();
    } else if (facts::AsUnseenSwitch(event)) {
      if (time >= options_.from && time <= options_.to) ++capture_.unseen_switches;
    } else if (facts::IsSession(event) && !has_session_) {
      has_session_ = true;
      ReadSession(event, capture_);
      if (const auto command = CommandOf(event)) tasks_.SetCommand(*command);
    } else if (facts::IsFilteringTrim(event)) {
      ReadTrim(event, capture_);
    }
    for (uint32_t cpu = 0; cpu < timeline_.cpus().size(); ++cpu) LookAtCpu(cpu, time);
  }
}

void Collector::AddTaskEvent(const fxt::Event& event, uint64_t time) {
  const auto command = tasks_.tree().command();
  if (event.name.text == schema::event::kFork) {
    const auto child =
        facts::KoidOf(facts::FindArgument(event.arguments, schema::argument::kChild));
    if (!child) return;
    const bool of_process = tasks_.NoteFork(event.thread.process, *child);
    const facts::ThreadIndex made = timeline_.Find(*child);
    if (made != facts::kNoThread) accounts_.NoteBirth(made);
    const facts::ThreadIndex maker = timeline_.Find(event.thread.thread);
    if (maker == facts::kNoThread || time < options_.from || time > options_.to) return;
    Note note{.begin = time, .end = time, .thread = event.thread.thread};
    note.forked_process = of_process;
    note.forked_thread = !of_process;
    accounts_.Add(accounts_.Introduce(maker, event.thread.thread, event.thread.process), note);
  } else if (event.name.text == schema::event::kExec) {
    if (command == event.thread.process && !command_began_) command_began_ = time;
  } else if (event.name.text == schema::event::kExit) {
    if (command == event.thread.thread) command_ended_ = time;
  }
}

void Collector::AddSpan(const fxt::Event& event, SpanKind kind, uint64_t time) {
  facts::ThreadIndex owner = facts::kNoThread;
  const fxt::Koid track = event.thread.thread;
  if (kind == SpanKind::kSyscall) {
    owner = timeline_.Find(track);
  } else if (schema::IsCpuTrack(track)) {
    const auto* cpu = timeline_.cpu(schema::TidOfKoid(track));
    if (cpu != nullptr && cpu->does == Does::kRun) owner = cpu->index;
  }
  if (event.type == fxt::EventType::kDurationBegin) {
    spans_.Begin(kind, event, time, owner);
  } else if (const auto span = spans_.End(kind, event, time, timeline_.begin(), owner)) {
    Count(*span);
  }
}

void Collector::Count(const ClosedSpan& span) {
  if (span.end < options_.from || span.begin > options_.to) return;
  const bool reaches_over = span.begin < options_.from || span.end > options_.to;
  Note note{.begin = std::max(span.begin, options_.from),
            .end = std::min(span.end, options_.to),
            .thread = span.track};
  note.extent = reaches_over && span.extent == Extent::kWhole ? Extent::kCut : span.extent;
  if (span.kind == SpanKind::kSyscall) {
    note.call = accounts_.CallNumber(spans_.names()[span.name]);
    note.cpu = span.owner < threads_.size() ? threads_[span.owner].cpu : 0;
  } else {
    note.cpu = schema::IsCpuTrack(span.track) ? schema::TidOfKoid(span.track) : 0;
    const uint32_t name = span.name << 1 | (span.kind == SpanKind::kIrq ? 1 : 0);
    AddLength(handlers_[name], note);
    note.has_duration = true;
    note.duration = span.kind == SpanKind::kIrq ? Duration::kIrq : Duration::kSoftirq;
    const auto* thread =
        span.owner < timeline_.threads().size() ? &timeline_.threads()[span.owner] : nullptr;
    if (thread == nullptr) return;
    note.thread = thread->koid;
  }
  if (span.owner == facts::kNoThread && note.call != Note::kNoCall) {
    // No switch has told of it yet: it runs since before the capture.
    return accounts_.CountCall(tasks_.GroupOf(tasks_.Find(span.track, kNobody)), note);
  }
  accounts_.Add(accounts_.Introduce(span.owner, note.thread, kNobody), note);
}

}  // namespace measure
