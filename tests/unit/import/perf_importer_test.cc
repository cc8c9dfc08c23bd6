// SPDX-License-Identifier: BSD-2-Clause
#include "import/perf_importer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <map>
#include <set>

#include "analyze/lbr/lbr_samples.h"
#include "branches/brstack_text.h"
#include "facts/task_names.h"
#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "schema/koid.h"
#include "sink/memory_sink.h"
#include "unit/perf/recordings.h"
#include "unit/perf/synthetic.h"

namespace importer {
namespace {

using perf::testing::ByteBuilder;
using perf::testing::FileBuilder;
using perf::testing::MakeAttr;

struct ImportedRecording {
  std::vector<std::byte> bytes;
  importer::PerfImportStats stats;
  std::string error;
};

ImportedRecording Import(std::unique_ptr<perf::SeekableSource> source) {
  ImportedRecording imported;
  util::Result<perf::FileReader> reader = perf::FileReader::Open(std::move(source));
  if (!reader) {
    imported.error = reader.error().message;
    return imported;
  }
  sink::MemorySink sink;
  {
    fxt::ArchiveWriter archive(sink);
    fxt::ProviderWriter provider(archive, "perf.data");
    importer::PerfImporter importer(*reader, provider);
    const util::Status status = importer.Run();
    if (!status) imported.error = status.error().message;
    imported.stats = importer.stats();
  }
  imported.bytes.assign(sink.bytes().begin(), sink.bytes().end());
  return imported;
}

ImportedRecording Import(const std::vector<std::byte>& file) {
  return Import(perf::MakeMemorySource(file));
}

// The content of the imported file.
struct ImportedFile : analyze::LbrVisitor {
  void OnSample(const perf::BranchStackSample& sample) override { samples.push_back(sample); }
  void OnModule(const analyze::ModuleDeclaration& module) override {
    modules[module.number] = std::string(module.file);
  }
  void OnMapping(const analyze::MappingDeclaration& mapping) override {
    mappings.push_back(mapping);
  }
  std::vector<perf::BranchStackSample> samples;
  std::map<uint16_t, std::string> modules;
  std::vector<analyze::MappingDeclaration> mappings;
};

ImportedFile ReadFile(const std::vector<std::byte>& bytes) {
  ImportedFile file_content;
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  const analyze::LbrProblems problems = analyze::VisitLbr(reader, file_content);
  EXPECT_EQ(reader.status(), fxt::ReadStatus::kEnd) << reader.error_message();
  EXPECT_TRUE(reader.diagnostics().kept().empty());
  EXPECT_EQ(problems.damaged_blobs, 0u) << problems.first_damaged;
  return file_content;
}

class PerfImporterRecordingsTest : public ::testing::TestWithParam<perf::testing::Recording> {
 protected:
  ImportedRecording ImportRecording(const std::filesystem::path& folder) {
    auto source = perf::OpenFile(perf::testing::RecordingPath(folder, GetParam()));
    EXPECT_TRUE(source.ok());
    return Import(std::move(*source));
  }
};

TEST_P(PerfImporterRecordingsTest, CarriesEveryBranch) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const ImportedRecording imported = ImportRecording(folder);
  ASSERT_EQ(imported.error, "");
  EXPECT_EQ(imported.stats.samples, GetParam().samples);
  EXPECT_EQ(imported.stats.branch_stacks, GetParam().samples);
  EXPECT_EQ(imported.stats.branches, GetParam().entries);
  EXPECT_EQ(imported.stats.unreadable, 0u);
  EXPECT_EQ(imported.stats.refused_records, 0u);
  EXPECT_EQ(imported.stats.late, 0u);
  EXPECT_TRUE(imported.stats.dropped_fields.empty());

  const ImportedFile file_content = ReadFile(imported.bytes);
  const auto expected = perf::testing::ExpectedLines(folder, GetParam());
  ASSERT_EQ(file_content.samples.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const perf::BranchStackSample& sample = file_content.samples[i];
    std::string line;
    branches::AppendBrstackLine(sample.pid, sample.tid, sample.cpu, sample.time, sample.entries,
                                &line);
    ASSERT_EQ(line, expected[i]) << i;
    EXPECT_TRUE(sample.ip.has_value());
    EXPECT_TRUE(sample.period.has_value());
  }
}

TEST_P(PerfImporterRecordingsTest, MirrorsEveryStackAndNamesItsThread) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const ImportedRecording imported = ImportRecording(folder);
  fxt::MemorySource source(imported.bytes);
  fxt::Reader reader(source);
  facts::TaskNames names;
  std::set<std::pair<fxt::Koid, fxt::Koid>> threads;
  size_t mirrors = 0;
  uint64_t branches = 0;
  uint64_t last_time = 0;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    names.Note(reader.record());
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event == nullptr) continue;
    EXPECT_GE(event->timestamp, last_time);
    last_time = event->timestamp;
    threads.emplace(event->thread.process, event->thread.thread);
    if (event->category.text != "lbr") continue;
    ++mirrors;
    for (const fxt::Argument& argument : event->arguments) {
      if (argument.name.text == "branches") branches += std::get<uint32_t>(argument.value);
    }
  }
  EXPECT_EQ(mirrors, GetParam().samples);
  EXPECT_EQ(branches, GetParam().entries - GetParam().unfilled);
  for (const auto& [process, thread] : threads) {
    EXPECT_NE(names.process(process), nullptr) << process;
    ASSERT_NE(names.thread(thread), nullptr) << thread;
    EXPECT_EQ(names.thread(thread)->process, process);
  }
}

INSTANTIATE_TEST_SUITE_P(All, PerfImporterRecordingsTest,
                         ::testing::ValuesIn(perf::testing::Recordings()),
                         perf::testing::RecordingName);

TEST(PerfImporterTest, KeepsTheMappingsOfSimpleperf) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  auto source = perf::OpenFile(folder / "simpleperf-6.4.perf.data");
  ASSERT_TRUE(source.ok());
  const ImportedFile file_content = ReadFile(Import(std::move(*source)).bytes);
  // The code page of the program, as in the README of the recording.
  const auto page =
      std::find_if(file_content.mappings.begin(), file_content.mappings.end(),
                   [](const analyze::MappingDeclaration& m) { return m.start == 0x5597dfefd000; });
  ASSERT_NE(page, file_content.mappings.end());
  EXPECT_EQ(page->size, 0x1000u);
  EXPECT_EQ(page->file_offset, 0u);
  EXPECT_EQ(page->process, 189912u);
  EXPECT_NE(file_content.modules.at(page->module).find("lbr_test_loop"), std::string::npos);
}

constexpr uint64_t kFields =
    PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;

ByteBuilder SampleBody(uint32_t pid, uint32_t tid, uint64_t time, uint32_t cpu) {
  ByteBuilder body;
  return body.U64(0x401000).U32(pid).U32(tid).U64(time).U32(cpu).U32(0).U64(4000);
}
ByteBuilder StackBody(uint32_t pid, uint32_t tid, uint64_t time) {
  return SampleBody(pid, tid, time, 1).U64(1).Entry(0x400010, 0x400020, 2);
}
ByteBuilder Trailed(ByteBuilder body, uint64_t time) {
  return body.U32(1).U32(1).U64(time).U32(1).U32(0);
}
ByteBuilder Comm(uint32_t pid, uint32_t tid, std::string_view name, uint64_t time) {
  ByteBuilder body;
  return Trailed(body.U32(pid).U32(tid).PaddedText(name), time);
}
ByteBuilder Task(uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid, uint64_t time) {
  ByteBuilder body;
  return Trailed(body.U32(pid).U32(ppid).U32(tid).U32(ptid).U64(time), time);
}
ByteBuilder Mmap2(uint32_t pid, uint64_t start, uint64_t size, std::string_view file,
                  uint64_t time) {
  ByteBuilder body;
  body.U32(pid).U32(pid).U64s({start, size, 0x1000}).U64s({0xddccbbaa00000014, 2, 3});
  return Trailed(body.U32(PROT_READ | PROT_EXEC).U32(0).PaddedText(file), time);
}

FileBuilder StackFile() {
  FileBuilder builder;
  builder.Event(MakeAttr(kFields | PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_ANY));
  return builder;
}

TEST(PerfImporterTest, NamesTasksAndSeparatesReusedNumbers) {
  FileBuilder builder = StackFile();
  builder.Record(PERF_RECORD_FORK, 0, Task(20, 1, 20, 1, 0));
  builder.Record(PERF_RECORD_COMM, 0, Comm(20, 20, "server", 0));
  builder.Record(PERF_RECORD_FORK, 0, Task(20, 20, 21, 20, 100));
  builder.Record(PERF_RECORD_COMM, 0, Comm(20, 21, "worker", 110));
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(20, 21, 120));
  builder.Record(PERF_RECORD_EXIT, 0, Task(20, 20, 21, 20, 130));
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(20, 21, 140));  // during its exit
  builder.Record(PERF_RECORD_FORK, 0, Task(20, 20, 21, 20, 150));
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(20, 21, 160));
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(0, 0, 170));
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(UINT32_MAX, UINT32_MAX, 180));
  const ImportedRecording imported = Import(builder.BuildFile());
  ASSERT_EQ(imported.error, "");
  fxt::MemorySource source(imported.bytes);
  fxt::Reader reader(source);
  facts::TaskNames names;
  std::vector<fxt::Koid> threads;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    names.Note(reader.record());
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event != nullptr && event->category.text == "lbr") threads.push_back(event->thread.thread);
  }
  ASSERT_EQ(threads.size(), 5u);
  EXPECT_EQ(threads[0], 21u);
  EXPECT_EQ(threads[1], 21u);
  EXPECT_NE(threads[2], 21u);
  EXPECT_EQ(schema::TidOfKoid(threads[2]), 21u);
  EXPECT_EQ(threads[3], schema::IdleKoid(1));
  EXPECT_EQ(threads[4], schema::kUnknownProcessKoid);
  EXPECT_EQ(names.process_name(20), "server");
  EXPECT_EQ(names.thread_name(21), "worker");
  // A thread starts with its parent's name.
  EXPECT_EQ(names.thread_name(threads[2]), "server");
  // The blobs keep the original numbers.
  const ImportedFile file_content = ReadFile(imported.bytes);
  EXPECT_EQ(file_content.samples[2].tid, 21u);
  EXPECT_EQ(file_content.samples[4].pid, UINT32_MAX);
}

TEST(PerfImporterTest, WritesMappingsOfSampledProcessesOnly) {
  FileBuilder builder = StackFile();
  builder.Record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
                 Mmap2(20, 0x400000, 0x2000, "/bin/server", 0));
  builder.Record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
                 Mmap2(30, 0x400000, 0x2000, "/bin/b", 0));
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(20, 20, 100));
  builder.Record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
                 Mmap2(20, 0x700000, 0x1000, "/lib/c.so", 110));
  builder.Record(PERF_RECORD_FORK, 0, Task(40, 20, 40, 20, 120));
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(40, 40, 130));
  builder.Record(PERF_RECORD_COMM, perf::kMiscCommExec, Comm(40, 40, "other", 140));
  builder.Record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER,
                 Mmap2(40, 0x800000, 0x1000, "/bin/o", 150));
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(40, 40, 160));
  const ImportedRecording imported = Import(builder.BuildFile());
  const ImportedFile file_content = ReadFile(imported.bytes);
  std::vector<std::string> mapped;
  for (const analyze::MappingDeclaration& m : file_content.mappings) {
    mapped.push_back(
        fmt::format("{} {:#x} {}", m.process, m.start, file_content.modules.at(m.module)));
    EXPECT_EQ(m.file_offset, 0x1000u);
  }
  EXPECT_EQ(mapped, (std::vector<std::string>{"20 0x400000 /bin/server", "20 0x700000 /lib/c.so",
                                              "40 0x400000 /bin/server", "40 0x700000 /lib/c.so",
                                              "40 0x800000 /bin/o"}));
  EXPECT_EQ(imported.stats.dropped_mappings, 0u);
}

TEST(PerfImporterTest, ConvertsOtherSamplesToInstantsAndBacktraces) {
  perf_event_attr attr = MakeAttr(kFields | PERF_SAMPLE_ADDR | PERF_SAMPLE_CALLCHAIN);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_PAGE_FAULTS;
  FileBuilder builder;
  builder.Event(attr);
  ByteBuilder body;
  body.U64(0x401000).U32(20).U32(21).U64(100).U64(0xfa017).U32(3).U32(0).U64(1);
  body.U64s({3, static_cast<uint64_t>(PERF_CONTEXT_USER), 0x401000, 0x402000});
  builder.Record(PERF_RECORD_SAMPLE, 0, body);
  const ImportedRecording imported = Import(builder.BuildFile());
  EXPECT_EQ(imported.stats.samples, 1u);
  EXPECT_EQ(imported.stats.branch_stacks, 0u);
  fxt::MemorySource source(imported.bytes);
  fxt::Reader reader(source);
  bool instant = false;
  bool backtrace = false;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (const auto* event = std::get_if<fxt::Event>(&reader.record())) {
      if (event->category.text != "perf") continue;
      instant = true;
      EXPECT_EQ(event->name.text, "page-faults");
      EXPECT_EQ(event->thread.thread, 21u);
      std::map<std::string, fxt::ArgumentValue> arguments;
      for (const fxt::Argument& a : event->arguments) arguments[std::string(a.name.text)] = a.value;
      EXPECT_EQ(std::get<int32_t>(arguments.at("cpu")), 3);
      EXPECT_EQ(std::get<fxt::PointerValue>(arguments.at("address")).address, 0xfa017u);
      EXPECT_EQ(std::get<fxt::PointerValue>(arguments.at("ip")).address, 0x401000u);
    }
    if (const auto* chain = std::get_if<fxt::ProfilerBacktrace>(&reader.record())) {
      backtrace = true;
      EXPECT_EQ(std::vector<uint64_t>(chain->frames.begin(), chain->frames.end()),
                (std::vector<uint64_t>{0x401000, 0x402000}));
    }
  }
  EXPECT_TRUE(instant);
  EXPECT_TRUE(backtrace);
}

TEST(PerfImporterTest, DeclaresLosses) {
  FileBuilder builder = StackFile();
  builder.Record(PERF_RECORD_SAMPLE, 0, StackBody(20, 20, 100));
  builder.Record(PERF_RECORD_LOST, 0, Trailed(ByteBuilder().U64s({0, 12}), 110));
  builder.Record(PERF_RECORD_LOST_SAMPLES, 0, Trailed(ByteBuilder().U64(3), 120));
  const ImportedRecording imported = Import(builder.BuildFile());
  EXPECT_EQ(imported.stats.lost, 15u);
  fxt::MemorySource source(imported.bytes);
  fxt::Reader reader(source);
  size_t provider_events = 0;
  std::vector<std::string> losses;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (const auto* event = std::get_if<fxt::ProviderEvent>(&reader.record())) {
      provider_events += event->event == fxt::kProviderEventBufferFilledUp;
    }
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event == nullptr || event->name.text != "lost_events" ||
        event->type != fxt::EventType::kInstant) {
      continue;
    }
    std::map<std::string, fxt::ArgumentValue> arguments;
    for (const fxt::Argument& a : event->arguments) arguments[std::string(a.name.text)] = a.value;
    losses.push_back(fmt::format("{} {} {} {}", event->timestamp,
                                 std::get<int32_t>(arguments.at("cpu")),
                                 std::get<uint64_t>(arguments.at("count")),
                                 std::get<fxt::StringRef>(arguments.at("category")).text));
  }
  EXPECT_EQ(provider_events, 2u);
  EXPECT_EQ(losses, (std::vector<std::string>{"110 1 12 lbr", "120 1 3 lbr"}));
}

TEST(PerfImporterTest, CountsDroppedFields) {
  FileBuilder builder;
  builder.Event(MakeAttr(kFields | PERF_SAMPLE_RAW));
  builder.Record(PERF_RECORD_SAMPLE, 0, SampleBody(20, 20, 100, 1).U32(4).U32(0));
  builder.Record(PERF_RECORD_SAMPLE, 0, SampleBody(20, 20, 110, 1).U32(400).U32(0));
  builder.Record(PERF_RECORD_SWITCH, 0, Trailed(ByteBuilder(), 120));
  builder.Record(63, 0, Trailed(ByteBuilder(), 130));
  const ImportedRecording imported = Import(builder.BuildFile());
  EXPECT_EQ(imported.stats.samples, 1u);
  EXPECT_EQ(imported.stats.unreadable, 1u);
  EXPECT_NE(imported.stats.first_unreadable.find("raw data"), std::string::npos);
  EXPECT_EQ(imported.stats.dropped_fields, (std::map<std::string, uint64_t>{{"raw data", 1}}));
  EXPECT_EQ(imported.stats.skipped,
            (std::map<std::string, uint64_t>{{"SWITCH", 1}, {"type 63", 1}}));
}

// Bytes of HEADER_EVENT_DESC that name the event `id`.
ByteBuilder EventNames(uint64_t id, std::string_view name) {
  ByteBuilder text;
  text.PaddedText(name);
  ByteBuilder section;
  section.U32(1).U32(8).U64(0).U32(1).U32(static_cast<uint32_t>(text.size()));
  return section.Append(text).U64(id);
}

std::map<std::string, std::string> SchedulingArguments(std::string_view name,
                                                       const ByteBuilder& raw) {
  perf_event_attr attr = MakeAttr(kFields | PERF_SAMPLE_RAW);
  attr.type = PERF_TYPE_TRACEPOINT;
  attr.config = 300;
  FileBuilder builder;
  builder.Event(attr, {55}).Feature(12, EventNames(55, name));
  builder.Record(PERF_RECORD_SAMPLE, 0,
                 SampleBody(20, 20, 100, 1).U32(static_cast<uint32_t>(raw.size())).Append(raw));
  const ImportedRecording imported = Import(builder.BuildFile());
  EXPECT_TRUE(imported.stats.dropped_fields.empty());
  std::map<std::string, std::string> arguments;
  fxt::MemorySource source(imported.bytes);
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event == nullptr || event->name.text != name) continue;
    for (const fxt::Argument& a : event->arguments) {
      std::string& value = arguments[std::string(a.name.text)];
      if (const auto* text = std::get_if<fxt::StringRef>(&a.value)) value = text->text;
      if (const auto* small = std::get_if<int32_t>(&a.value)) value = fmt::format("{}", *small);
      if (const auto* large = std::get_if<int64_t>(&a.value)) value = fmt::format("{}", *large);
    }
  }
  return arguments;
}

TEST(PerfImporterTest, KeepsTheFieldsOfSchedulingEvents) {
  const auto comm = [](ByteBuilder& raw, std::string_view name) {
    raw.Text(name);
    for (size_t i = name.size(); i < 16; ++i) raw.U8(0);
  };
  ByteBuilder change;
  change.U64(0x14000000012c);
  comm(change, "bash");
  change.U32(20).U32(120).U64(2);
  comm(change, "swapper/1");
  change.U32(0).U32(120).U32(0);
  auto arguments = SchedulingArguments("sched:sched_switch", change);
  EXPECT_EQ(arguments["prev_comm"], "bash");
  EXPECT_EQ(arguments["prev_pid"], "20");
  EXPECT_EQ(arguments["prev_prio"], "120");
  EXPECT_EQ(arguments["prev_state"], "2");
  EXPECT_EQ(arguments["next_comm"], "swapper/1");
  EXPECT_EQ(arguments["next_pid"], "0");

  ByteBuilder wakeup;
  wakeup.U64(0x14000000012d);
  comm(wakeup, "worker");
  ByteBuilder old = wakeup;
  wakeup.U32(21).U32(98).U32(3);
  arguments = SchedulingArguments("sched:sched_waking", wakeup);
  EXPECT_EQ(arguments["comm"], "worker");
  EXPECT_EQ(arguments["pid"], "21");
  EXPECT_EQ(arguments["target_cpu"], "3");
  old.U32(21).U32(98).U32(1).U32(3).U32(0);
  EXPECT_EQ(SchedulingArguments("sched:sched_wakeup", old)["target_cpu"], "3");
}

TEST(PerfImporterTest, KeepsSyntheticStacksWhole) {
  // hw_idx, counters, every flag, and more branches than a blob holds; several events.
  perf_event_attr attr =
      MakeAttr(PERF_SAMPLE_IDENTIFIER | kFields | PERF_SAMPLE_BRANCH_STACK,
               PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX | perf::kBranchSampleCounters);
  perf_event_attr other = attr;
  other.config = PERF_COUNT_HW_INSTRUCTIONS;
  FileBuilder builder;
  builder.Event(attr, {1}).Event(other, {2});
  constexpr uint64_t kBranches = 70;
  ByteBuilder body;
  body.U64(2).U64(0x401000).U32(20).U32(21).U64(100).U32(5).U32(0).U64(4000);
  body.U64s({kBranches, 17});
  for (uint64_t i = 0; i < kBranches; ++i) body.Entry(i, i + 1, i << 20 | 1);
  for (uint64_t i = 0; i < kBranches; ++i) body.U64(i * 3);
  builder.Record(PERF_RECORD_SAMPLE, 0, body);
  const ImportedFile file_content = ReadFile(Import(builder.BuildFile()).bytes);
  ASSERT_EQ(file_content.samples.size(), 1u);
  const perf::BranchStackSample& sample = file_content.samples[0];
  EXPECT_EQ(sample.event, "instructions");
  EXPECT_EQ(sample.hw_idx, 17u);
  EXPECT_EQ(sample.cpu, 5u);
  EXPECT_EQ(sample.tid, 21u);
  ASSERT_EQ(sample.entries.size(), kBranches);
  ASSERT_EQ(sample.counters.size(), kBranches);
  for (uint64_t i = 0; i < kBranches; ++i) {
    EXPECT_EQ(sample.entries[i], (perf::BranchEntry{i, i + 1, i << 20 | 1}));
    EXPECT_EQ(sample.counters[i], i * 3);
  }
}

TEST(PerfImporterTest, ImportsFilesWithoutSamples) {
  FileBuilder builder = StackFile();
  builder.Record(PERF_RECORD_COMM, 0, Comm(20, 20, "server", 0));
  const ImportedRecording imported = Import(builder.BuildFile());
  EXPECT_EQ(imported.error, "");
  EXPECT_EQ(imported.stats.samples, 0u);
  EXPECT_TRUE(ReadFile(imported.bytes).samples.empty());
}

}  // namespace
}  // namespace importer
