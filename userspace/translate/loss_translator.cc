// SPDX-License-Identifier: BSD-2-Clause
#include "translate/loss_translator.h"

#include <array>

#include "schema/koid.h"

namespace translate {

std::string_view CategoryText(uint32_t category) {
  constexpr std::array<std::string_view, FXR_CATEGORIES> kTexts = {
      "sched", "task", "log", "irq", "softirq", "syscall", "lbr", "other"};
  return kTexts[category < kTexts.size() ? category : kTexts.size() - 1];
}

model::ThreadHandle LossTranslator::RecorderTrack() {
  if (track_ == model::kNoHandle) {
    model::TaskTable& table = file_.tasks();
    track_ =
        table.AddPseudoThread(table.AddPseudoProcess(schema::kRecorderProcessKoid, "fxt-record"),
                              schema::RecorderKoid(), "recording");
  }
  return track_;
}

void LossTranslator::OnLoss(int32_t cpu, uint64_t time, uint32_t category, uint64_t count) {
  if (category >= FXR_CATEGORIES) category = FXR_CATEGORIES - 1;
  stats_.lost[category] += count;
  uint64_t& total = totals_[{cpu, category}];
  total += count;
  OpenRecord record = file_.Begin(RecorderTrack());
  record.Write(
      fxt::ProviderEvent{.id = record.provider_id(), .event = fxt::kProviderEventBufferFilledUp});
  const std::array lost = {
      fxt::Argument{record.Ref(Word::kCpu), cpu}, fxt::Argument{record.Ref(Word::kCount), count},
      fxt::Argument{record.Ref(Word::kCategory), record.Intern(CategoryText(category))}};
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(Word::kCategoryRecorder),
                          .name = record.Ref(Word::kLostEvents),
                          .arguments = lost});
  const std::array counter = {fxt::Argument{record.Intern(CategoryText(category)), total}};
  record.Write(fxt::Event{.type = fxt::EventType::kCounter,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(Word::kCategoryRecorder),
                          .name = record.Ref(Word::kLostEvents),
                          .arguments = counter,
                          .payload = static_cast<uint64_t>(static_cast<int64_t>(cpu))});
}

}  // namespace translate
