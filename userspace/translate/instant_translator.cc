// SPDX-License-Identifier: BSD-2-Clause
#include "translate/instant_translator.h"

#include <algorithm>
#include <string_view>

#include "fxt_record/slot_body.h"

namespace translate {
namespace {

using schema::FieldInfo;
using schema::FieldRole;

// The smallest argument type that holds all values of the field.
fxt::ArgumentValue NumberOf(const FieldInfo& field, uint64_t value) {
  if (field.bits < 32 || (field.is_signed && field.bits == 32)) return static_cast<int32_t>(value);
  if (field.bits == 32) return static_cast<uint32_t>(value);
  if (field.is_signed || field.bits < 64) return static_cast<int64_t>(value);
  return value;
}

// include/net/tcp_states.h
std::string_view TcpStateName(uint64_t state) {
  constexpr std::array<std::string_view, 14> kNames = {
      "unknown",   "ESTABLISHED", "SYN_SENT",     "SYN_RECV",      "FIN_WAIT1",
      "FIN_WAIT2", "TIME_WAIT",   "CLOSE",        "CLOSE_WAIT",    "LAST_ACK",
      "LISTEN",    "CLOSING",     "NEW_SYN_RECV", "BOUND_INACTIVE"};
  return kNames[state < kNames.size() ? state : 0];
}

}  // namespace

InstantTranslator::InstantTranslator(TraceWriter& file, model::TaskTracker& tasks,
                                     SchedTranslator& sched, InterruptTranslator& interrupts,
                                     FunctionNames& functions, TranslationStats& stats)
    : file_(file),
      tasks_(tasks),
      sched_(sched),
      interrupts_(interrupts),
      functions_(functions),
      stats_(stats) {
  for (uint32_t type = 0; type < texts_.size(); ++type) {
    const schema::SlotInfo& slot = schema::SlotInfoOf(type);
    Texts& texts = texts_[type];
    texts.is_instant = slot.is_instant;
    if (!slot.is_instant) continue;
    texts.name = file_.Declare(slot.name);
    for (const FieldInfo& field : slot.fields) {
      if (field.role != FieldRole::HIDDEN) texts.arguments.push_back(file_.Declare(field.name));
    }
  }
}

InstantTranslator::ShownField InstantTranslator::Show(const FieldInfo& field, uint64_t value) {
  ShownField shown{.field = &field, .value = value};
  if (field.role == FieldRole::THREAD) {
    shown.koid = file_.KoidOf(tasks_.Named(static_cast<uint32_t>(value)));
  } else if (field.role == FieldRole::FUNCTION) {
    shown.text = functions_.Of(static_cast<int64_t>(value));
  } else if (field.role == FieldRole::TCP_STATE) {
    shown.text = file_.Declare(TcpStateName(value));
  }
  return shown;
}

void InstantTranslator::OnSlot(uint32_t type, uint32_t cpu, uint64_t time, uint64_t body,
                               uint64_t extra) {
  constexpr size_t kMaxArguments = 15;  // limit of a record
  const schema::SlotInfo& slot = schema::SlotInfoOf(type);
  const Texts& texts = texts_[type];
  std::array<ShownField, kMaxArguments> shown;
  size_t count = 0;
  uint32_t tid = 0;
  bool in_interrupt = false;
  for (const FieldInfo& field : slot.fields) {
    const uint64_t value =
        fxr_unpack_field(body, extra, field.at, field.bits, static_cast<int>(field.is_signed));
    if (field.name == "tid") tid = static_cast<uint32_t>(value);
    if (field.name == "in_interrupt") in_interrupt = value != 0;
    if (field.role == FieldRole::HIDDEN || count == kMaxArguments) continue;
    shown[count++] = Show(field, value);
  }
  model::ThreadHandle thread = in_interrupt ? interrupts_.IrqTrack(cpu) : model::kNoHandle;
  if (!in_interrupt) thread = tid == 0 ? sched_.IdleOf(cpu) : tasks_.Thread(tid);
  OpenRecord record = file_.Begin(thread);
  std::array<fxt::Argument, kMaxArguments> arguments;
  for (size_t i = 0; i < count; ++i) {
    fxt::Argument& argument = arguments[i];
    argument.name = record.Refer(texts.arguments[i]);
    switch (shown[i].field->role) {
      case FieldRole::POINTER:
        argument.value = fxt::PointerValue{shown[i].value};
        break;
      case FieldRole::THREAD:
        argument.value = fxt::KoidValue{shown[i].koid};
        break;
      case FieldRole::FUNCTION:
      case FieldRole::TCP_STATE:
        argument.value = record.Refer(shown[i].text);
        break;
      case FieldRole::HIDDEN:
      case FieldRole::SHOWN:
        argument.value = NumberOf(*shown[i].field, shown[i].value);
        break;
    }
  }
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(slot.category),
                          .name = record.Refer(texts.name),
                          .arguments = {arguments.data(), count}});
  ++stats_.recorded[slot.category];
}

}  // namespace translate
