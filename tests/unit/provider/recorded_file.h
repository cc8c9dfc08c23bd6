// SPDX-License-Identifier: BSD-2-Clause
// A file for records of providers, in which the kernel's side knows a few threads.
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
      task.start_time = 1;
      translator.OnSnapshotTask(task);
    }
    translator.OnStart(1);
  }

  // Events of the provider: "TIME TYPE PROCESS/THREAD CATEGORY:NAME". Nothing may be wrong with the
  // file.
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

  sink::MemorySink sink;
  fxt::ArchiveWriter archive;
  fxt::ProviderWriter writer;
  translate::testing::FakeIdentities identities;
  model::TaskTracker tasks;
  translate::Translator translator;
  SectionWriter sections;
};

}  // namespace provider::testing
