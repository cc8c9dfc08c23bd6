// SPDX-License-Identifier: BSD-2-Clause
#include "translate/instant_translator.h"

#include "fxt_record/slot_body.h"
#include "schema/event_info.h"

namespace translate {
namespace {

using schema::FieldInfo;

// In the smallest of the format's types that has room for all the field's values.
fxt::ArgumentValue ValueOf(const FieldInfo& field, uint64_t value) {
  if (field.bits < 32 || (field.is_signed && field.bits == 32)) return static_cast<int32_t>(value);
  if (field.bits == 32) return static_cast<uint32_t>(value);
  if (field.is_signed || field.bits < 64) return static_cast<int64_t>(value);
  return value;
}

}  // namespace

InstantTranslator::InstantTranslator(TraceFile& file, model::TaskTracker& tasks,
                                     SchedTranslator& sched, TranslationStats& stats)
    : file_(file), tasks_(tasks), sched_(sched), stats_(stats) {
  for (uint32_t type = 0; type < texts_.size(); ++type) {
    const schema::SlotInfo& slot = schema::SlotInfoOf(type);
    Texts& texts = texts_[type];
    texts.is_instant = slot.is_instant;
    if (!slot.is_instant) continue;
    texts.name = file_.Declare(slot.name);
    for (const FieldInfo& field : slot.fields) {
      if (field.is_shown) texts.arguments.push_back(file_.Declare(field.name));
    }
  }
}

void InstantTranslator::OnSlot(uint32_t type, uint32_t cpu, uint64_t time, uint64_t body,
                               uint64_t extra) {
  constexpr size_t kMostArguments = 15;  // what a record can have
  const schema::SlotInfo& slot = schema::SlotInfoOf(type);
  const Texts& texts = texts_[type];
  std::array<uint64_t, kMostArguments> values{};
  std::array<const FieldInfo*, kMostArguments> shown{};
  size_t count = 0;
  uint32_t tid = 0;
  for (const FieldInfo& field : slot.fields) {
    const uint64_t value =
        fxr_unpack_field(body, extra, field.at, field.bits, static_cast<int>(field.is_signed));
    if (field.name == "tid") tid = static_cast<uint32_t>(value);
    if (!field.is_shown || count == kMostArguments) continue;
    shown[count] = &field;
    values[count++] = value;
  }
  const model::ThreadHandle thread = tid == 0 ? sched_.IdleOf(cpu) : tasks_.Thread(tid);
  OpenRecord record = file_.Begin(thread);
  std::array<fxt::Argument, kMostArguments> arguments;
  for (size_t i = 0; i < count; ++i) {
    arguments[i] = {record.Refer(texts.arguments[i]), ValueOf(*shown[i], values[i])};
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
