// SPDX-License-Identifier: BSD-2-Clause
#include "translate/file/settings_writer.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "facts/settings_event.h"
#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "model/task_table.h"
#include "sink/memory_sink.h"

namespace translate {
namespace {

class SettingsWriterTest : public ::testing::Test {
 protected:
  // "scope subject koid" to the settings by name.
  std::map<std::string, std::map<std::string, std::string>> Read() {
    archive_.Flush();
    fxt::MemorySource source(sink_.bytes());
    fxt::Reader reader(source);
    std::map<std::string, std::map<std::string, std::string>> all;
    while (reader.Next() == fxt::ReadStatus::kRecord) {
      const auto* event = std::get_if<fxt::Event>(&reader.record());
      if (event == nullptr) continue;
      const auto settings = facts::AsSettings(*event);
      if (!settings) continue;
      auto& values = all[std::string(event->name.text) + " " + std::string(settings->subject) +
                         " " + std::to_string(settings->process.value_or(0))];
      for (const fxt::Argument& value : settings->values) {
        values[std::string(value.name.text)] = facts::SettingText(value.value);
      }
    }
    EXPECT_EQ(file_.refused_records(), 0U);
    return all;
  }

  model::TaskTable tasks_;
  sink::MemorySink sink_;
  fxt::ArchiveWriter archive_{sink_};
  fxt::ProviderWriter writer_{archive_, "fxt-record"};
  TraceWriter file_{writer_, tasks_};
  SettingsWriter settings_{file_};
};

TEST_F(SettingsWriterTest, ManyAndLongSettingsTakeSeveralRecords) {
  schema::Settings machine;
  for (int i = 0; i < 100; ++i) machine.values.emplace_back("n" + std::to_string(i), int64_t{i});
  machine.values.emplace_back("long", std::string(100'000, 'x'));
  machine.values.emplace_back("bytes", "\xff\x01");
  settings_.Write(5, machine);
  const auto all = Read();
  const auto& values = all.at("system  0");
  EXPECT_EQ(values.size(), 102U);
  EXPECT_EQ(values.at("n99"), "99");
  EXPECT_EQ(values.at("long"), std::string(4096, 'x'));
  EXPECT_EQ(values.at("bytes"), "\xef\xbf\xbd\x01");
}

TEST_F(SettingsWriterTest, ProcessSettingsHaveTheNameAndKoidOfTheProcess) {
  const model::ThreadHandle thread = tasks_.Add(100, 100, "comm", 1);
  tasks_.process(tasks_.thread(thread).process).name = "app";
  settings_.Write(5, {.scope = schema::SettingScope::kProcess,
                      .subject = "comm",
                      .pid = 100,
                      .values = {{"nice", int64_t{3}}}});
  // No such process.
  settings_.Write(5, {.scope = schema::SettingScope::kProcess,
                      .subject = "gone",
                      .pid = 200,
                      .values = {{"nice", int64_t{3}}}});
  const auto all = Read();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all.at("process app 100").at("nice"), "3");
}

TEST_F(SettingsWriterTest, SettingsOfProcessesHaveALimit) {
  tasks_.Add(100, 100, "app", 1);
  const schema::Settings large{.scope = schema::SettingScope::kProcess,
                               .subject = "app",
                               .pid = 100,
                               .values = {{"command_line", std::string(4000, 'x')}}};
  while (settings_.omitted() == 0 && file_.bytes() < 2 * SettingsWriter::kMostProcessBytes) {
    settings_.Write(5, large);
  }
  EXPECT_EQ(settings_.omitted(), 1U);
  EXPECT_LT(file_.bytes(), SettingsWriter::kMostProcessBytes + 10'000);
  settings_.Write(5, {.scope = schema::SettingScope::kSystem,
                      .subject = "",
                      .pid = 0,
                      .values = {{"late", int64_t{1}}}});
  EXPECT_EQ(Read().at("system  0").at("late"), "1");
}

}  // namespace
}  // namespace translate
