// SPDX-License-Identifier: BSD-2-Clause
#include "unit/session/window_records.h"

#include <gtest/gtest.h>

namespace session {

WindowRecords WindowRecords::Read(std::span<const std::byte> bytes) {
  WindowRecords records;
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&reader.record())) {
      records.switches.push_back(
          {legacy->timestamp, legacy->cpu, legacy->outgoing.thread, legacy->incoming.thread});
    } else if (const auto* event = std::get_if<fxt::Event>(&reader.record())) {
      if (event->type == fxt::EventType::kInstant) {
        records.instants.emplace_back(event->timestamp, event->name.text);
      }
    } else if (const auto* object = std::get_if<fxt::KernelObject>(&reader.record())) {
      if (object->type == static_cast<uint8_t>(fxt::KernelObjectType::kThread)) {
        records.names[object->koid].emplace_back(object->name.text);
      }
    }
  }
  EXPECT_EQ(reader.status(), fxt::ReadStatus::kEnd) << reader.error_message();
  return records;
}

}  // namespace session
