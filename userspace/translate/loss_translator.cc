// SPDX-License-Identifier: BSD-2-Clause
#include "translate/loss_translator.h"

#include <array>

#include "schema/koid.h"
#include "schema/names.h"

namespace translate {

model::ThreadHandle LossTranslator::RecorderTrack() {
  if (track_ == model::kNoHandle) {
    model::TaskTable& table = file_.tasks();
    track_ =
        table.PseudoThread(table.PseudoProcess(schema::kRecorderProcessKoid, schema::kRecorderName),
                           schema::RecorderKoid(), "recording");
  }
  return track_;
}

void LossTranslator::OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) {
  if (category >= FXR_CATEGORIES) category = FXR_CATEGORY_OTHER;
  const auto id = static_cast<fxr_category>(category);
  stats_.lost[category] += count;
  uint64_t& total = totals_[{cpu, category}];
  total += count;
  OpenRecord record = file_.Begin(RecorderTrack());
  record.Write(
      fxt::ProviderEvent{.id = record.provider_id(), .event = fxt::kProviderEventBufferFilledUp});
  const std::array lost = {fxt::Argument{record.Ref(CommonString::kCpu), cpu},
                           fxt::Argument{record.Ref(CommonString::kCount), count},
                           fxt::Argument{record.Ref(CommonString::kCategory), record.Ref(id)}};
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(CommonString::kCategoryRecorder),
                          .name = record.Ref(CommonString::kLostEvents),
                          .arguments = lost});
  const std::array counter = {fxt::Argument{record.Ref(id), total}};
  record.Write(fxt::Event{.type = fxt::EventType::kCounter,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(CommonString::kCategoryRecorder),
                          .name = record.Ref(CommonString::kLostEvents),
                          .arguments = counter,
                          .payload = static_cast<uint64_t>(static_cast<int64_t>(cpu))});
}

}  // namespace translate
