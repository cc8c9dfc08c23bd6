// SPDX-License-Identifier: BSD-2-Clause
// The announcements of tasks in a file. Two files that share a task table are independent.
#include "translate/file/trace_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "model/task_tracker.h"
#include "sink/memory_sink.h"
#include "translate/translator.h"
#include "unit/translate/capture_script.h"

namespace translate {
namespace {

// A file over a shared table of tasks.
class Output {
 public:
  explicit Output(model::TaskTable& tasks)
      : archive_(sink_), writer_(archive_, "test"), file_(writer_, tasks) {}
  TraceWriter& file() { return file_; }
  // "name/koid" of each object in the file, in their order.
  std::vector<std::string> Objects() {
    archive_.Flush();
    fxt::MemorySource source(sink_.bytes());
    fxt::Reader reader(source);
    std::vector<std::string> objects;
    while (reader.Next() == fxt::ReadStatus::kRecord) {
      const auto* object = std::get_if<fxt::KernelObject>(&reader.record());
      if (!object) continue;
      const bool is_process = object->type == static_cast<uint8_t>(fxt::KernelObjectType::kProcess);
      objects.push_back((is_process ? "process " : "thread ") + std::string(object->name.text) +
                        "/" + std::to_string(object->koid));
    }
    return objects;
  }

 private:
  sink::MemorySink sink_;
  fxt::ArchiveWriter archive_;
  fxt::ProviderWriter writer_;
  TraceWriter file_;
};

using Objects = std::vector<std::string>;

TEST(TraceWriterTest, AnnouncesThreadsPerFile) {
  model::TaskTable tasks;
  Output first(tasks);
  const model::ThreadHandle thread = tasks.Add(100, 100, "one", 1);
  tasks.process(tasks.thread(thread).process).name = "app";
  first.file().Mention(thread);
  first.file().Mention(thread);
  Output second(tasks);
  EXPECT_FALSE(second.file().thread(thread).announced());
  second.file().Mention(thread);
  const Objects once = {"process app/100", "thread one/100"};
  EXPECT_EQ(first.Objects(), once);
  EXPECT_EQ(second.Objects(), once);
  // A changed task is announced again in each file when a record refers to it.
  tasks.thread(thread).name = "two";
  tasks.NotifyThreadChanged(thread);
  first.file().Mention(thread);
  EXPECT_EQ(first.Objects(), (Objects{"process app/100", "thread one/100", "thread two/100"}));
  EXPECT_EQ(second.Objects(), once);
}

TEST(TraceWriterTest, IsFoundByTidWhileItIsAnnounced) {
  model::TaskTable tasks;
  Output output(tasks);
  TraceWriter& file = output.file();
  const model::ThreadHandle old = tasks.Add(100, 100, "old", 1);
  EXPECT_EQ(file.FindAnnounced(100), nullptr);
  file.Mention(old);
  EXPECT_EQ(file.FindAnnounced(100), &file.thread(old));
  tasks.NotifyThreadChanged(old);
  EXPECT_EQ(file.FindAnnounced(100), nullptr);
  file.Mention(old);
  // The tid belongs to another thread while the old one is still alive.
  const model::ThreadHandle young = tasks.Add(100, 200, "young", 2);
  EXPECT_EQ(file.FindAnnounced(100), nullptr);
  file.Mention(young);
  EXPECT_EQ(file.FindAnnounced(100), &file.thread(young));
  tasks.NotifyThreadChanged(old);
  file.Mention(old);
  EXPECT_EQ(file.FindAnnounced(100), &file.thread(young));
  tasks.Remove(young);
  EXPECT_EQ(file.FindAnnounced(100), nullptr);
}

TEST(TraceWriterTest, ReusedHandleStartsClean) {
  model::TaskTable tasks;
  Output output(tasks);
  TraceWriter& file = output.file();
  const model::ThreadHandle old = tasks.Add(100, 100, "old", 1);
  file.Mention(old);
  file.thread(old).on_cpu = 3;
  EXPECT_TRUE(tasks.IsOnCpu(old));
  file.thread(old).emitted_states.Emit(FXR_STATE_UNINTERRUPTIBLE);
  tasks.Remove(old);
  const model::ThreadHandle young = tasks.Add(200, 200, "young", 2);
  ASSERT_EQ(young, old);
  EXPECT_FALSE(file.thread(young).announced());
  EXPECT_FALSE(tasks.IsOnCpu(young));
  EXPECT_FALSE(file.thread(young).emitted_states.IsEmitted(FXR_STATE_UNINTERRUPTIBLE));
}

TEST(TraceWriterTest, EmittedStatesFollowTheKoid) {
  model::TaskTable tasks;
  Output output(tasks);
  TraceWriter& file = output.file();
  const model::ThreadHandle leader = tasks.Add(100, 100, "leader", 1);
  const model::ThreadHandle thread = tasks.Add(101, 100, "thread", 2);
  file.Mention(leader);
  file.Mention(thread);
  file.thread(leader).emitted_states.Emit(FXR_STATE_UNINTERRUPTIBLE);
  tasks.TakeOverLeader(thread, 100);
  EXPECT_TRUE(file.thread(thread).emitted_states.IsEmitted(FXR_STATE_UNINTERRUPTIBLE));
  EXPECT_FALSE(file.thread(leader).emitted_states.IsEmitted(FXR_STATE_UNINTERRUPTIBLE));
  EXPECT_EQ(file.FindAnnounced(100), nullptr);
  EXPECT_EQ(file.KoidOf(thread), 100u);
  EXPECT_EQ(file.FindAnnounced(100), &file.thread(thread));
}

// A file that continues another one announces the same tasks again.
TEST(TraceWriterTest, AContinuedFileAnnouncesTheTasksAgain) {
  testing::FakeIdentities identities;
  model::TaskTracker tasks(identities, true);
  fxr_task task{};
  task.tid = task.tgid = 100;
  task.start_time = 1;
  std::string_view("app").copy(task.comm, sizeof(task.comm));
  std::string files[2];
  for (std::string& bytes : files) {
    sink::MemorySink sink;
    fxt::ArchiveWriter archive(sink);
    fxt::ProviderWriter writer(archive, "test");
    Translator translator(writer, tasks, {});
    translator.OnSnapshotTask(task);
    translator.OnStart(1000);
    for (uint64_t time = 2000; time < 3000; time += 100) {
      const bool in = time / 100 % 2 == 0;
      const fxr_payload payload =
          fxr_pack_switch({.prev_tid = in ? 0u : 100u,
                           .next_tid = in ? 100u : 0u,
                           .prev_priority = 120,
                           .next_priority = 120,
                           .prev_state = in ? uint8_t{0} : uint8_t{FXR_STATE_INTERRUPTIBLE}});
      translator.OnSlot(0, time, fxr_pack_commit(FXR_SLOT_SWITCH, payload.extra, time, 0),
                        payload.body);
    }
    archive.Flush();
    bytes.assign(reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size());
  }
  EXPECT_EQ(files[0].size(), files[1].size());
  EXPECT_NE(files[1].find("app"), std::string::npos);
}

}  // namespace
}  // namespace translate
