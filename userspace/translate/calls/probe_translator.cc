// SPDX-License-Identifier: BSD-2-Clause
#include "translate/calls/probe_translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "fxt/utf8.h"

namespace translate {
namespace {

// Nested calls per thread; deeper ones are dropped.
constexpr size_t kMaxDepth = 4096;
constexpr unsigned kLowBits = 50;              // of a value, in one slot
constexpr uint64_t kIdle = uint64_t{1} << 32;  // first key of idle threads, above every tid

// The 16 KiB block that `frame` lies in. Kernel stacks have at least 16 KiB and are aligned to
// their size. `frame` is an address in units of 4 bytes.
uint64_t StackOf(uint64_t frame) { return frame >> 12; }

// True if frame `a` is deeper than `b`, so at a lower address. Only the low bits are known.
bool IsInner(uint64_t a, uint64_t b) {
  constexpr uint64_t kMask = (uint64_t{1} << FXR_PROBE_FRAME_BITS) - 1;
  const uint64_t distance = (b - a) & kMask;
  return distance != 0 && distance < (kMask >> 1);
}

using Form = probes::ArgumentType::Form;

fxt::Argument Argument(fxt::StringRef name, const probes::ArgumentType& type, uint64_t value) {
  if (type.form == Form::kPointer) return {name, fxt::PointerValue{value}};
  if (type.form == Form::kBool) return {name, value != 0};
  if (type.is_float && type.bytes == 8) return {name, std::bit_cast<double>(value)};
  if (type.is_float) return {name, double{std::bit_cast<float>(static_cast<uint32_t>(value))}};
  if (!type.is_signed) {
    if (type.bytes <= 4) return {name, static_cast<uint32_t>(value)};
    return {name, value};
  }
  if (type.bytes <= 4) return {name, static_cast<int32_t>(value)};
  return {name, static_cast<int64_t>(value)};
}

// Sign- or zero-extends the value of a register to 64 bits.
int64_t Extend(const probes::ArgumentType& type, int64_t value) {
  const unsigned unused = 64 - 8 * type.bytes;
  const uint64_t high = static_cast<uint64_t>(value) << unused;
  return type.is_signed ? static_cast<int64_t>(high) >> unused
                        : static_cast<int64_t>(high >> unused);
}

constexpr std::string_view kUnreadable = "unreadable";

}  // namespace

struct ProbeTranslator::Values {
  uint32_t probe = 0;
  uint32_t unread = 0;
  std::span<const std::byte> bytes;
};

ProbeTranslator::ProbeTranslator(TraceWriter& file, model::TaskTracker& tasks,
                                 std::vector<probes::Probe> probes, IdleThread idle)
    : file_(file),
      tasks_(tasks),
      probes_(std::move(probes)),
      no_return_(file.Declare("no_return")),
      retval_(file.Declare("retval")),
      idle_(std::move(idle)) {
  for (const probes::Probe& probe : probes_) {
    names_.push_back(file.Declare(probe.name));
    std::vector<fxt::StringId>& names = shown_names_.emplace_back();
    for (const probes::Argument& argument : probe.shown)
      names.push_back(file.Declare(argument.name));
  }
  for (int i = 1; i <= FXR_PROBE_ARGUMENTS; ++i) {
    argument_names_.push_back(file.Declare(fmt::format("arg{}", i)));
  }
}

uint64_t ProbeTranslator::KeyOf(uint32_t cpu, uint32_t tid) {
  if (tid != 0) return tid;
  const uint64_t key = kIdle | cpu;
  Thread& thread = threads_[key];
  if (thread.handle == model::kNoHandle) thread.handle = idle_(cpu);
  return key;
}

model::ThreadHandle ProbeTranslator::HandleOf(uint64_t key) {
  return key < kIdle ? tasks_.Thread(static_cast<uint32_t>(key)) : threads_[key].handle;
}

void ProbeTranslator::OnSlot(uint32_t type, uint32_t cpu, uint64_t time, uint64_t body,
                             uint64_t extra) {
  switch (type) {
    case FXR_SLOT_PROBE_ENTRY: {
      const fxr_probe_entry_body event = fxr_unpack_probe_entry(body, extra);
      return OnEntry(time, KeyOf(cpu, event.tid), event, nullptr);
    }
    case FXR_SLOT_PROBE_RETURN: {
      const fxr_probe_return_body event = fxr_unpack_probe_return(body, extra);
      return OnReturn(time, KeyOf(cpu, event.tid), event);
    }
    case FXR_SLOT_PROBE_VALUE: {
      const fxr_probe_value_body event = fxr_unpack_probe_value(body, extra);
      return OnValue(KeyOf(cpu, event.tid), event);
    }
    case FXR_SLOT_PROBE_VALUE_TOP: {
      const fxr_probe_value_top_body event = fxr_unpack_probe_value_top(body, extra);
      Thread& thread = threads_[KeyOf(cpu, event.tid)];
      thread.value_top = event.top;
      thread.has_top = true;
      return;
    }
    default:
      return;
  }
}

bool ProbeTranslator::IsOver(std::span<const Call> calls, uint32_t probe, uint64_t frame) const {
  const Call& last = calls.back();
  const auto is_kernel = [&](uint32_t number) {
    return probes_[number].kind == probes::Probe::Kind::kKernel;
  };
  if (is_kernel(last.probe) != is_kernel(probe)) {
    // User code continues only after all kernel functions that it called have returned.
    return is_kernel(last.probe);
  }
  if (is_kernel(probe) && StackOf(last.frame) != StackOf(frame)) {
    // Interrupt handlers have a stack of their own. A call on the interrupted stack shows that the
    // handler has returned.
    return std::ranges::any_of(calls, [&](const Call& call) {
      return is_kernel(call.probe) && StackOf(call.frame) == StackOf(frame);
    });
  }
  // Calls in deeper frames have ended without a return event: longjmp() skipped it, or it was lost.
  // So has a call of the same function in the same frame, which a tail call has replaced.
  const bool again = last.frame == frame && last.probe == probe;
  return again || IsInner(last.frame, frame);
}

void ProbeTranslator::OnEntry(uint64_t time, uint64_t key, const fxr_probe_entry_body& event,
                              const Values* values) {
  ++stats_.events;
  if (event.probe >= probes_.size()) {
    ++stats_.unreadable;
    return;
  }
  const auto write = [&](fxt::EventType type, model::ThreadHandle handle) {
    ++stats_.recorded;
    if (!values) {
      return file_.CountRefusal(file_.writer().WriteEvent(
          type, time, file_.Mention(handle), file_.Id(FXR_CATEGORY_PROBE), names_[event.probe]));
    }
    OpenRecord record = file_.Begin(handle);
    std::array<fxt::Argument, FXR_PROBE_ARGUMENTS> arguments;
    const size_t count = PutValues(record, *values, arguments);
    record.Write(fxt::Event{.type = type,
                            .timestamp = time,
                            .thread = record.thread(),
                            .category = record.Ref(FXR_CATEGORY_PROBE),
                            .name = record.Refer(names_[event.probe]),
                            .arguments = {arguments.data(), count}});
  };
  if (probes_[event.probe].entry_only) return write(fxt::EventType::kInstant, HandleOf(key));
  Thread& thread = threads_[key];
  if (thread.executed) EndAll(time, key, thread);
  while (!thread.calls.empty() && IsOver(thread.calls, event.probe, event.frame)) {
    End(time, key, thread, false, false);
  }
  if (thread.calls.size() >= kMaxDepth) {
    ++stats_.unmatched_ends;
    return;
  }
  const model::ThreadHandle handle = HandleOf(key);
  file_.Mention(handle);
  thread.calls.push_back(
      {event.probe, event.frame, file_.thread(handle).process_koid, file_.thread(handle).koid});
  write(fxt::EventType::kDurationBegin, handle);
}

void ProbeTranslator::OnReturn(uint64_t time, uint64_t key, const fxr_probe_return_body& event) {
  ++stats_.events;
  Thread& thread = threads_[key];
  const bool has_value = thread.has_value || thread.has_text;
  const bool wants_value = event.probe < probes_.size() && probes_[event.probe].return_value;
  const auto call = std::find_if(thread.calls.rbegin(), thread.calls.rend(), [&](const Call& each) {
    return each.probe == event.probe && each.frame == event.frame;
  });
  if (call == thread.calls.rend()) {
    ++stats_.unmatched_ends;
    thread.has_value = thread.has_text = false;
    return;
  }
  for (auto inner = call - thread.calls.rbegin(); inner > 0; --inner) {
    End(time, key, thread, false, false);
  }
  End(time, key, thread, true, has_value && wants_value);
  thread.has_value = thread.has_text = false;
}

void ProbeTranslator::OnValue(uint64_t key, const fxr_probe_value_body& event) {
  Thread& thread = threads_[key];
  uint64_t value = static_cast<uint64_t>(event.value);
  if (std::exchange(thread.has_top, false)) {
    value = (value & ((uint64_t{1} << kLowBits) - 1)) | thread.value_top << kLowBits;
  }
  thread.value = static_cast<int64_t>(value);
  thread.has_value = true;
}

void ProbeTranslator::End(uint64_t time, uint64_t key, Thread& thread, bool returned,
                          bool has_value) {
  const Call call = thread.calls.back();
  thread.calls.pop_back();
  const model::ThreadHandle handle = HandleOf(key);
  // The duration must end under the koid it began with, which exec may have changed.
  const bool renumbered = call.thread_koid != file_.tasks().thread(handle).koid;
  OpenRecord record = renumbered ? file_.Begin() : file_.Begin(handle);
  fxt::Argument argument;
  std::string scratch;
  const fxt::StringRef retval = record.Refer(retval_);
  const auto& result = probes_[call.probe].result;
  if (!returned) {
    argument = {record.Refer(no_return_), true};
  } else if (has_value && thread.has_text) {
    if (thread.has_unread_text) {
      argument = {retval, fxt::NullValue{}};
      if (!thread.text.empty()) argument.value = fxt::StringRef::Inline(thread.text);
    } else {
      argument = {retval, fxt::InlineUtf8(thread.text, scratch, FXR_PROBE_TEXT_BYTES)};
    }
  } else if (has_value && result && result->type.form != Form::kText) {
    argument =
        Argument(retval, result->type, static_cast<uint64_t>(Extend(result->type, thread.value)));
  } else if (has_value && thread.value == static_cast<int32_t>(thread.value)) {
    argument = {retval, static_cast<int32_t>(thread.value)};
  } else if (has_value) {
    argument = {retval, thread.value};
  }
  record.Write(
      fxt::Event{.type = fxt::EventType::kDurationEnd,
                 .timestamp = time,
                 .thread = renumbered ? fxt::ThreadRef::Inline(call.process_koid, call.thread_koid)
                                      : record.thread(),
                 .category = record.Ref(FXR_CATEGORY_PROBE),
                 .name = record.Refer(names_[call.probe]),
                 .arguments = {&argument, !returned || has_value ? size_t{1} : size_t{0}}});
  ++stats_.recorded;
}

void ProbeTranslator::EndAll(uint64_t time, uint64_t key, Thread& thread) {
  while (!thread.calls.empty()) End(time, key, thread, false, false);
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

size_t ProbeTranslator::PutValues(OpenRecord& record, const Values& values,
                                  std::span<fxt::Argument> arguments) {
  const std::vector<probes::Argument>& shown = probes_[values.probe].shown;
  size_t count = 0;
  size_t operand = 0;
  size_t texts = 0;
  for (const probes::Argument& argument : shown) {
    const bool is_text = argument.type.form == Form::kText;
    const fxt::StringRef name = record.Refer(shown_names_[values.probe][count]);
    uint64_t value = 0;
    std::memcpy(&value, values.bytes.data() + sizeof(value) * operand, sizeof(value));
    const bool is_unread = (values.unread >> operand & 1) != 0;
    fxt::Argument& put = arguments[count++];
    const auto* text =
        reinterpret_cast<const char*>(values.bytes.data()) + FXR_PROBE_EVENT_BYTES(texts);
    if (is_unread && is_text && value == 0) {
      put = {name, fxt::NullValue{}};
    } else if (is_unread) {
      put = {name, record.Intern(kUnreadable)};
      ++stats_.unread_arguments;
    } else if (is_text) {
      const std::string_view whole(text, std::min<uint64_t>(value, FXR_PROBE_TEXT_BYTES));
      put = {name, fxt::InlineUtf8(whole, scratch_.at(texts), FXR_PROBE_TEXT_BYTES)};
    } else {
      put = Argument(name, argument.type, value);
    }
    operand += argument.length ? 2 : 1;
    if (is_text) ++texts;
  }
  return count;
}

void ProbeTranslator::OnValues(uint32_t cpu, uint64_t time, const fxr_probe_values_long& event,
                               std::span<const std::byte> bytes) {
  if (event.probe >= probes_.size()) {
    ++stats_.events;
    ++stats_.unreadable;
    return;
  }
  const probes::Probe& probe = probes_[event.probe];
  const auto is_text = [](const probes::Argument& each) { return each.type.form == Form::kText; };
  const auto texts =
      event.is_result != 0 ? 1 : static_cast<size_t>(std::ranges::count_if(probe.shown, is_text));
  if (bytes.size() < FXR_PROBE_EVENT_BYTES(texts)) {
    ++stats_.events;
    ++stats_.unreadable;
    return;
  }
  if (event.is_result != 0) {
    Thread& thread = threads_[KeyOf(cpu, event.tid)];
    uint64_t value = 0;
    std::memcpy(&value, bytes.data(), sizeof(value));
    thread.has_text = true;
    thread.has_unread_text = (event.unread & 1) != 0;
    thread.text.clear();
    if (!thread.has_unread_text) {
      thread.text.assign(reinterpret_cast<const char*>(bytes.data()) + FXR_PROBE_VALUES_BYTES,
                         std::min<uint64_t>(value, FXR_PROBE_TEXT_BYTES));
    } else if (value != 0) {
      thread.text = kUnreadable;
      ++stats_.unread_arguments;
    }
    return;
  }
  const Values values{event.probe, event.unread, bytes};
  if (probe.kind != probes::Probe::Kind::kUsdt) {
    return OnEntry(time, KeyOf(cpu, event.tid),
                   {.tid = event.tid, .probe = event.probe, .frame = event.frame}, &values);
  }
  ++stats_.events;
  OpenRecord record = file_.Begin(tasks_.Thread(event.tid));
  std::array<fxt::Argument, FXR_PROBE_ARGUMENTS> arguments;
  const size_t count = PutValues(record, values, arguments);
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_PROBE),
                          .name = record.Refer(names_[event.probe]),
                          .arguments = {arguments.data(), count}});
  ++stats_.recorded;
}

void ProbeTranslator::OnExec(uint64_t time, uint32_t old_tid, uint32_t tid) {
  auto node = threads_.extract(old_tid);
  if (node.empty()) return;
  node.key() = tid;
  OnThreadEnd(time, tid);  // ends the calls of the former leader, which has no exit event
  Thread& thread = threads_.insert(std::move(node)).position->second;
  thread.executed = true;
  // Durations nest: calls that enclose an open execve end after it, in OnSyscallExit().
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
  for (auto& [tid, thread] : threads_) thread.has_value = thread.has_top = thread.has_text = false;
}

}  // namespace translate
