// SPDX-License-Identifier: BSD-2-Clause
#include "translate/file/mapping_writer.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "model/task_table.h"
#include "sink/memory_sink.h"

namespace translate {
namespace {

using Lines = std::vector<std::string>;

class MappingWriterTest : public ::testing::Test {
 protected:
  MappingWriterTest() {
    for (const uint32_t tid : {100u, 200u, 300u}) threads_.push_back(tasks_.Add(tid, tid, "app"));
    idle_ = tasks_.PseudoThread(tasks_.PseudoProcess(0, "swapper"), schema::IdleKoid(0), "idle");
  }
  Mapping Of(std::string_view file, uint64_t start, uint64_t size = 0x1000, uint8_t flags = 5) {
    return {.start = start,
            .size = size,
            .file_offset = 0,
            .flags = flags,
            .file = file,
            .build_id = {}};
  }
  // "module 1 NAME of PROCESS", "map 1 START of PROCESS", in their order.
  Lines Written() {
    archive_.Flush();
    fxt::MemorySource source(sink_.bytes());
    fxt::Reader reader(source);
    Lines lines;
    while (reader.Next() == fxt::ReadStatus::kRecord) {
      if (const auto* module = std::get_if<fxt::ProfilerModule>(&reader.record())) {
        lines.push_back(fmt::format("module {} {} of {}", module->module_id, module->name,
                                    module->thread.process));
      } else if (const auto* map = std::get_if<fxt::ProfilerMmap>(&reader.record())) {
        lines.push_back(
            fmt::format("map {} {:#x} of {}", map->module_id, map->start, map->thread.process));
      }
    }
    EXPECT_EQ(reader.status(), fxt::ReadStatus::kEnd);
    return lines;
  }

  model::TaskTable tasks_;
  std::vector<model::ThreadHandle> threads_;
  model::ThreadHandle idle_ = model::kNoHandle;
  sink::MemorySink sink_;
  fxt::ArchiveWriter archive_{sink_};
  fxt::ProviderWriter provider_{archive_, "test"};
  TraceWriter file_{provider_, tasks_};
  MappingWriter mappings_{file_};
};

TEST_F(MappingWriterTest, SkipsProcessesWithoutSamples) {
  mappings_.OnMapping(100, Of("/bin/a", 0x1000), 1);
  mappings_.OnMapping(200, Of("/bin/b", 0x1000), 1);
  EXPECT_TRUE(Written().empty());
  mappings_.OnSample(200, threads_[1], 10);
  mappings_.OnSample(200, threads_[1], 11);
  EXPECT_EQ(Written(), (Lines{"module 1 /bin/b of 200", "map 1 0x1000 of 200"}));
  EXPECT_EQ(mappings_.mappings_written(), 1u);
}

TEST_F(MappingWriterTest, WritesMappingsOfASampledProcessAtOnce) {
  mappings_.OnSample(100, threads_[0], 10);
  mappings_.OnMapping(100, Of("/lib/p.so", 0x7000), 20);
  mappings_.OnMapping(100, Of("/lib/p.so", 0x9000), 21);
  EXPECT_EQ(Written(),
            (Lines{"module 0 /lib/p.so of 100", "map 0 0x7000 of 100", "map 0 0x9000 of 100"}));
}

TEST_F(MappingWriterTest, IgnoresMappingsThatAreNotExecutable) {
  mappings_.OnSample(100, threads_[0], 10);
  mappings_.OnMapping(100, Of("/lib/data", 0x7000, 0x1000, 3), 20);
  mappings_.OnMapping(100, Of("/lib/empty", 0x8000, 0), 20);
  EXPECT_TRUE(Written().empty());
}

TEST_F(MappingWriterTest, ChildInheritsMappings) {
  mappings_.OnMapping(100, Of("/bin/a", 0x1000), 1);
  mappings_.OnFork(100, 200);
  mappings_.OnMapping(100, Of("/lib/later", 0x5000), 2);
  mappings_.OnMapping(200, Of("/lib/own", 0x6000), 3);
  mappings_.OnSample(200, threads_[1], 10);
  EXPECT_EQ(Written(), (Lines{"module 0 /bin/a of 200", "map 0 0x1000 of 200",
                              "module 2 /lib/own of 200", "map 2 0x6000 of 200"}));
}

// The child's pid may have belonged to a process whose end was not recorded.
TEST_F(MappingWriterTest, ChildDoesNotInheritFromAPreviousPid) {
  mappings_.OnMapping(200, Of("/bin/old", 0x1000), 1);
  mappings_.OnSample(200, threads_[1], 2);
  mappings_.OnFork(100, 200);
  EXPECT_FALSE(mappings_.HasMappings(200)) << "no mapping of 100 was received";
  mappings_.OnFork(200, 200);
  EXPECT_FALSE(mappings_.HasMappings(200));
}

TEST_F(MappingWriterTest, ExecDropsMappings) {
  mappings_.OnMapping(100, Of("/bin/sh", 0x1000), 1);
  mappings_.OnExec(100);
  EXPECT_FALSE(mappings_.HasMappings(100));
  mappings_.OnMapping(100, Of("/bin/ls", 0x1000), 2);
  mappings_.OnSample(100, threads_[0], 10);
  EXPECT_EQ(Written(), (Lines{"module 1 /bin/ls of 100", "map 1 0x1000 of 100"}));
}

// A mapping replaces those that it covers and keeps adjacent ones.
TEST_F(MappingWriterTest, NewMappingReplacesCoveredOnes) {
  mappings_.OnMapping(100, Of("/lib/one", 0x2000), 1);
  mappings_.OnMapping(100, Of("/lib/two", 0x4000, 0x2000), 1);
  mappings_.OnMapping(100, Of("/lib/three", 0x1000, 0x3000), 2);
  mappings_.OnMapping(100, Of("/lib/top", UINT64_MAX - 0xfff, 0x1000), 2);
  mappings_.OnSample(100, threads_[0], 10);
  EXPECT_EQ(Written(), (Lines{"module 1 /lib/two of 100", "map 1 0x4000 of 100",
                              "module 2 /lib/three of 100", "map 2 0x1000 of 100",
                              "module 3 /lib/top of 100", "map 3 0xfffffffffffff000 of 100"}));
}

// The same path with another build id is another module.
TEST_F(MappingWriterTest, FindsTheFileAtAnAddress) {
  mappings_.OnMapping(100, Of("/lib/old.so", 0x4000, 0x4000), 0);
  mappings_.OnMapping(100, Of("/lib/new.so", 0x5000), 0);
  EXPECT_EQ(mappings_.FileAt(100, 0x4fff), "/lib/old.so");
  EXPECT_EQ(mappings_.FileAt(100, 0x5000), "/lib/new.so");
  EXPECT_EQ(mappings_.FileAt(100, 0x7fff), "/lib/old.so");
  EXPECT_EQ(mappings_.FileAt(100, 0x8000), "");
  EXPECT_EQ(mappings_.FileAt(200, 0x5000), "");
}

TEST_F(MappingWriterTest, AModuleIsAFileWithItsBuildId) {
  Mapping first = Of("/lib/x", 0x1000), second = Of("/lib/x", 0x3000);
  const std::array<std::byte, 2> id{std::byte{1}, std::byte{2}};
  second.build_id = util::BuildId::FromBytes(id);
  mappings_.OnSample(100, threads_[0], 1);
  mappings_.OnMapping(100, first, 2);
  mappings_.OnMapping(100, second, 3);
  mappings_.OnMapping(100, Of("/lib/x", 0x5000), 4);
  EXPECT_EQ(mappings_.modules(), 2u);
  EXPECT_EQ(Written(),
            (Lines{"module 0 /lib/x of 100", "map 0 0x1000 of 100", "module 1 /lib/x of 100",
                   "map 1 0x3000 of 100", "map 0 0x5000 of 100"}));
}

TEST_F(MappingWriterTest, KernelMappingsBelongToProcessZero) {
  mappings_.OnMapping(MappingWriter::kKernel, Of("[kernel.kallsyms]_text", 0xffffffff81000000), 1);
  mappings_.OnSample(MappingWriter::kKernel, idle_, 10);
  EXPECT_EQ(Written(),
            (Lines{"module 0 [kernel.kallsyms]_text of 0", "map 0 0xffffffff81000000 of 0"}));
}

// A record holds 255 bytes. The end of a path is kept, because it distinguishes more than its
// start.
TEST_F(MappingWriterTest, LongNamesKeepTheirEnds) {
  mappings_.OnSample(100, threads_[0], 1);
  const std::string name = "/" + std::string(150, 'a') + std::string(60, '\xc3') + "/" +
                           std::string(150, 'b') + "/end.so";
  mappings_.OnMapping(100, Of(name, 0x1000), 2);
  const Lines written = Written();
  ASSERT_EQ(written.size(), 2u);
  EXPECT_NE(written[0].find(std::string(150, 'b')), std::string::npos) << written[0];
}

}  // namespace
}  // namespace translate
