// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/power_translator.h"

#include "schema/koid.h"

namespace translate {

PowerTranslator::PowerTranslator(TraceWriter& file)
    : file_(file), frequency_(file.Declare("cpu_frequency")), idle_(file.Declare("cpu_idle")) {}

void PowerTranslator::Write(uint64_t time, fxt::StringId name, uint32_t cpu, int64_t value) {
  if (track_ == model::kNoHandle) {
    model::TaskTable& table = file_.tasks();
    track_ = table.PseudoThread(table.PseudoProcess(schema::kPowerProcessKoid, "power"),
                                schema::kPowerProcessKoid, "power");
  }
  OpenRecord record = file_.Begin(track_);
  const fxt::Argument argument{record.Refer(name), value};
  record.Write(fxt::Event{.type = fxt::EventType::kCounter,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_POWER),
                          .name = record.Refer(name),
                          .arguments = {&argument, 1},
                          .payload = cpu});
}

}  // namespace translate
