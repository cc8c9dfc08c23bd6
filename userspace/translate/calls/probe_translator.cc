// SPDX-License-Identifier: BSD-2-Clause
#include "translate/calls/probe_translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace translate {
namespace {

// Nested calls per thread; deeper ones are dropped.
constexpr size_t kMaxDepth = 4096;
constexpr unsigned kLowBits = 50;  // of a value, in one slot

// True if frame `a` is deeper than `b`. Stacks grow down, and only the low bits are known.
bool IsInner(uint64_t a, uint64_t b) {
  constexpr uint64_t kMask = (uint64_t{1} << FXR_PROBE_FRAME_BITS) - 1;
  const uint64_t distance = (b - a) & kMask;
  return distance != 0 && distance < (kMask >> 1);
}

fxt::Argument Argument(fxt::StringRef name, const probes::ArgumentType& type, uint64_t value) {
  if (!type.is_signed) {
    if (type.bytes <= 4) return {name, static_cast<uint32_t>(value)};
    return {name, value};
  }
  if (type.bytes <= 4) return {name, static_cast<int32_t>(value)};
  return {name, static_cast<int64_t>(value)};
}

}  // namespace

ProbeTranslator::ProbeTranslator(TraceWriter& file, model::TaskTracker& tasks,
                                 std::vector<probes::Probe> probes)
    : file_(file),
      tasks_(tasks),
      probes_(std::move(probes)),
      no_return_(file.Declare("no_return")) {
  for (const probes::Probe& probe : probes_) names_.push_back(file.Declare(probe.name));
  for (int i = 1; i <= FXR_PROBE_ARGUMENTS; ++i) {
    argument_names_.push_back(file.Declare(fmt::format("arg{}", i)));
  }
}

void ProbeTranslator::OnSlot(uint32_t type, uint64_t time, uint64_t body, uint64_t extra) {
  switch (type) {
    case FXR_SLOT_PROBE_ENTRY:
      return OnEntry(time, fxr_unpack_probe_entry(body, extra));
    case FXR_SLOT_PROBE_RETURN:
      return OnReturn(time, fxr_unpack_probe_return(body, extra));
    case FXR_SLOT_PROBE_VALUE:
      return OnValue(fxr_unpack_probe_value(body, extra));
    case FXR_SLOT_PROBE_VALUE_TOP: {
      const fxr_probe_value_top_body event = fxr_unpack_probe_value_top(body, extra);
      Thread& thread = threads_[event.tid];
      thread.value_top = event.top;
      thread.has_top = true;
      return;
    }
    default:
      return;
  }
}

void ProbeTranslator::OnEntry(uint64_t time, const fxr_probe_entry_body& event) {
  ++stats_.events;
  if (event.probe >= probes_.size()) {
    ++stats_.unreadable;
    return;
  }
  if (probes_[event.probe].entry_only) {
    file_.CountRefusal(file_.writer().WriteEvent(
        fxt::EventType::kInstant, time, file_.Mention(tasks_.Thread(event.tid)),
        file_.Id(FXR_CATEGORY_PROBE), names_[event.probe]));
    ++stats_.recorded;
    return;
  }
  Thread& thread = threads_[event.tid];
  if (thread.executed) EndAll(time, event.tid, thread);
  // Frames at or below this one are left without a return: by longjmp, or the return was lost. A
  // function may also end in a tail call, which reuses the frame.
  while (!thread.calls.empty()) {
    const Call& last = thread.calls.back();
    const bool again = last.frame == event.frame && last.probe == event.probe;
    if (!again && !IsInner(last.frame, event.frame)) break;
    End(time, event.tid, thread, false, nullptr);
  }
  if (thread.calls.size() >= kMaxDepth) {
    ++stats_.unmatched_ends;
    return;
  }
  const model::ThreadHandle handle = tasks_.Thread(event.tid);
  const fxt::ThreadKey key = file_.Mention(handle);
  thread.calls.push_back(
      {event.probe, event.frame, file_.thread(handle).process_koid, file_.thread(handle).koid});
  file_.CountRefusal(file_.writer().WriteEvent(fxt::EventType::kDurationBegin, time, key,
                                               file_.Id(FXR_CATEGORY_PROBE), names_[event.probe]));
  ++stats_.recorded;
}

void ProbeTranslator::OnReturn(uint64_t time, const fxr_probe_return_body& event) {
  ++stats_.events;
  Thread& thread = threads_[event.tid];
  const bool has_value = std::exchange(thread.has_value, false);
  const bool wants_value = event.probe < probes_.size() && probes_[event.probe].return_value;
  const auto call = std::find_if(thread.calls.rbegin(), thread.calls.rend(), [&](const Call& each) {
    return each.probe == event.probe && each.frame == event.frame;
  });
  if (call == thread.calls.rend()) {
    ++stats_.unmatched_ends;
    return;
  }
  for (auto inner = call - thread.calls.rbegin(); inner > 0; --inner) {
    End(time, event.tid, thread, false, nullptr);
  }
  End(time, event.tid, thread, true, has_value && wants_value ? &thread.value : nullptr);
}

void ProbeTranslator::OnValue(const fxr_probe_value_body& event) {
  Thread& thread = threads_[event.tid];
  uint64_t value = static_cast<uint64_t>(event.value);
  if (std::exchange(thread.has_top, false)) {
    value = (value & ((uint64_t{1} << kLowBits) - 1)) | thread.value_top << kLowBits;
  }
  thread.value = static_cast<int64_t>(value);
  thread.has_value = true;
}

void ProbeTranslator::End(uint64_t time, uint32_t tid, Thread& thread, bool returned,
                          const int64_t* value) {
  const Call call = thread.calls.back();
  thread.calls.pop_back();
  const model::ThreadHandle handle = tasks_.Thread(tid);
  // The duration ends on the thread where it began, whose koid exec changed since.
  const bool renumbered = call.thread_koid != file_.tasks().thread(handle).koid;
  OpenRecord record = renumbered ? file_.Begin() : file_.Begin(handle);
  fxt::Argument argument;
  if (!returned) argument = {record.Refer(no_return_), true};
  if (value && *value == static_cast<int32_t>(*value)) {
    argument = {record.Ref(CommonString::kRet), static_cast<int32_t>(*value)};
  } else if (value) {
    argument = {record.Ref(CommonString::kRet), *value};
  }
  record.Write(
      fxt::Event{.type = fxt::EventType::kDurationEnd,
                 .timestamp = time,
                 .thread = renumbered ? fxt::ThreadRef::Inline(call.process_koid, call.thread_koid)
                                      : record.thread(),
                 .category = record.Ref(FXR_CATEGORY_PROBE),
                 .name = record.Refer(names_[call.probe]),
                 .arguments = {&argument, !returned || value ? size_t{1} : size_t{0}}});
  ++stats_.recorded;
}

void ProbeTranslator::EndAll(uint64_t time, uint32_t tid, Thread& thread) {
  while (!thread.calls.empty()) End(time, tid, thread, false, nullptr);
  thread.executed = false;
}

void ProbeTranslator::OnHit(uint64_t time, const fxr_probe_hit_long& hit,
                            std::span<const uint64_t> values) {
  ++stats_.events;
  if (hit.probe >= probes_.size()) {
    ++stats_.unreadable;
    return;
  }
  const std::vector<probes::ArgumentType>& types = probes_[hit.probe].arguments;
  OpenRecord record = file_.Begin(tasks_.Thread(hit.tid));
  std::array<fxt::Argument, FXR_PROBE_ARGUMENTS> arguments;
  size_t count = 0;
  for (size_t i = 0; i < std::min(values.size(), size_t{FXR_PROBE_ARGUMENTS}); ++i) {
    const probes::ArgumentType type = i < types.size() ? types[i] : probes::ArgumentType{};
    if ((hit.unread >> i & 1) != 0 || type.is_float) continue;
    arguments[count++] = Argument(record.Refer(argument_names_[i]), type, values[i]);
  }
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_PROBE),
                          .name = record.Refer(names_[hit.probe]),
                          .arguments = {arguments.data(), count}});
  ++stats_.recorded;
}

void ProbeTranslator::OnExec(uint64_t time, uint32_t old_tid, uint32_t tid) {
  auto node = threads_.extract(old_tid);
  if (node.empty()) return;
  node.key() = tid;
  OnThreadEnd(time, tid);  // the former leader, which ends without an exit event
  Thread& thread = threads_.insert(std::move(node)).position->second;
  thread.executed = true;
  // Durations nest: the enclosing calls end after the execve that has begun inside them.
  if (!file_.thread(tasks_.Thread(tid)).in_syscall) EndAll(time, tid, thread);
}

void ProbeTranslator::OnSyscallExit(uint64_t time, uint32_t tid) {
  const auto found = threads_.find(tid);
  if (found != threads_.end() && found->second.executed) EndAll(time, tid, found->second);
}

void ProbeTranslator::OnThreadEnd(uint64_t time, uint32_t tid) {
  const auto found = threads_.find(tid);
  if (found == threads_.end()) return;
  EndAll(time, tid, found->second);
  threads_.erase(found);
}

void ProbeTranslator::OnLoss() {
  for (auto& [tid, thread] : threads_) thread.has_value = thread.has_top = false;
}

}  // namespace translate
