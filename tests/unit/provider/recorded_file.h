// SPDX-License-Identifier: BSD-2-Clause
// A file for records of providers, with a few threads of the kernel's section.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fxt/reader.h"
#include "model/task_tracker.h"
#include "provider/section_writer.h"
#include "sink/memory_sink.h"
#include "unit/translate/capture_script.h"

namespace provider::testing {

class RecordedFile {
 public:
  static constexpr uint64_t kStartTicks = 7;  // of all processes

  // Process 100 with threads 100 and 101, and process 200.
  RecordedFile()
      : archive(sink),
        writer(archive, "fxt-record"),
        tasks(identities, true),
        translator(writer, tasks, {}),
        sections(archive, translator) {
    for (const auto& [tid, tgid] : {std::pair(100u, 100u), {101u, 100u}, {200u, 200u}}) {
      fxr_task task{};
      task.header = {1, FXR_SIDE_FORK, 0, 0, sizeof(task)};
      task.tid = tid;
      task.tgid = tgid;
      task.start_time = kStartTicks * 10'000'000;
      translator.OnSnapshotTask(task);
    }
    translator.OnStart(1);
  }

  // The provider's events: "TIME TYPE PROCESS/THREAD CATEGORY:NAME". Expects a valid file.
  std::vector<std::string> Events(const std::string& provider = "app") {
    archive.Flush();
    fxt::MemorySource source(sink.bytes());
    fxt::Reader read(source);
    std::vector<std::string> events;
    fxt::ReadStatus status = fxt::ReadStatus::kRecord;
    while ((status = read.Next()) == fxt::ReadStatus::kRecord) {
      const auto* event = std::get_if<fxt::Event>(&read.record());
      if (event == nullptr || read.provider().name() != provider) continue;
      events.push_back(
          std::to_string(event->timestamp) + " " + std::to_string(static_cast<int>(event->type)) +
          " " + std::to_string(event->thread.process) + "/" + std::to_string(event->thread.thread) +
          " " + std::string(event->category.text) + ":" + std::string(event->name.text));
    }
    EXPECT_EQ(status, fxt::ReadStatus::kEnd);
    EXPECT_EQ(read.diagnostics().total(), 0u);
    return events;
  }

  // Ids of the provider's async events, in order.
  std::vector<uint64_t> AsyncIds(const std::string& provider) {
    archive.Flush();
    fxt::MemorySource source(sink.bytes());
    fxt::Reader read(source);
    std::vector<uint64_t> ids;
    while (read.Next() == fxt::ReadStatus::kRecord) {
      const auto* event = std::get_if<fxt::Event>(&read.record());
      if (event == nullptr || read.provider().name() != provider) continue;
      if (event->type == fxt::EventType::kAsyncBegin || event->type == fxt::EventType::kAsyncEnd) {
        ids.push_back(event->payload);
      }
    }
    return ids;
  }

  sink::MemorySink sink;
  fxt::ArchiveWriter archive;
  fxt::ProviderWriter writer;
  translate::testing::FakeIdentities identities;
  model::TaskTracker tasks;
  translate::Translator translator;
  SectionWriter sections;
};

}  // namespace provider::testing
