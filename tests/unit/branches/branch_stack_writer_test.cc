// SPDX-License-Identifier: BSD-2-Clause
#include "branches/branch_stack_writer.h"

#include <gtest/gtest.h>

#include <map>
#include <variant>

#include "fxt/byte_sink.h"
#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "unit/perf/synthetic.h"

namespace branches {
namespace {

class MemorySink : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    bytes.insert(bytes.end(), records.begin(), records.end());
    return true;
  }
  std::vector<std::byte> bytes;
};

perf::BranchStackSample MakeSample(size_t branches) {
  perf::BranchStackSample sample;
  sample.time = 5000;
  sample.cpu = 2;
  sample.pid = 10;
  sample.tid = 11;
  for (uint64_t i = 0; i < branches; ++i) {
    const bool missed = i % 4 == 0;
    sample.entries.push_back(
        {0x1000 + i, 0x2000 + i,
         perf::testing::MakeFlags({.mispredicted = missed, .predicted = !missed, .cycles = 3})});
  }
  return sample;
}

struct Written {
  std::vector<std::string> blobs;  // type and name
  std::optional<perf::BranchStackSample> sample;
  std::string event;
  fxt::Ticks time = 0;
  fxt::ThreadRef thread;
  std::map<std::string, fxt::ArgumentValue> arguments;  // but texts
  std::map<std::string, std::string> texts;
};

Written WriteAndRead(const perf::BranchStackSample& sample) {
  MemorySink sink;
  {
    fxt::ArchiveWriter archive(sink);
    fxt::ProviderWriter provider(archive, "test");
    branches::BranchStackWriter writer(provider);
    EXPECT_EQ(writer.Write(sample, {.handle = 0, .process = 10, .thread = 11}),
              fxt::EncodeStatus::kOk);
    EXPECT_EQ(writer.samples(), 1u);
    EXPECT_EQ(writer.branches(), sample.entries.size());
  }
  Written written;
  branches::StackDecoder decoder;
  fxt::MemorySource source(sink.bytes);
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    if (const auto* blob = std::get_if<fxt::Blob>(&reader.record())) {
      written.blobs.push_back(std::to_string(blob->type) + " " + std::string(blob->name.text));
      if (blob->type == static_cast<uint8_t>(fxt::BlobType::kLastBranch)) {
        EXPECT_TRUE(decoder.TakeBlob(blob->payload).ok());
      } else {
        const auto taken = decoder.TakeCompanion(blob->name.text, blob->payload);
        EXPECT_TRUE(taken.ok() && *taken);
      }
    }
    if (const auto* event = std::get_if<fxt::Event>(&reader.record())) {
      written.event = std::string(event->category.text) + ":" + std::string(event->name.text);
      written.time = event->timestamp;
      written.thread = event->thread;
      EXPECT_LE(event->arguments.size(), fxt::kMaxArguments);
      for (const fxt::Argument& argument : event->arguments) {
        const std::string name(argument.name.text);
        if (const auto* text = std::get_if<fxt::StringRef>(&argument.value)) {
          written.texts[name] = std::string(text->text);
        } else {
          written.arguments[name] = argument.value;
        }
      }
    }
  }
  EXPECT_EQ(reader.status(), fxt::ReadStatus::kEnd);
  written.sample = decoder.Finish();
  return written;
}

TEST(BranchStackWriterTest, WritesBlobsAndAMirror) {
  perf::BranchStackSample sample = MakeSample(32);
  sample.event = "cycles";
  const Written written = WriteAndRead(sample);
  EXPECT_EQ(written.blobs, (std::vector<std::string>{"2 cpu2", "1 cpu2.lbr-ext"}));
  EXPECT_EQ(written.sample, sample);
  EXPECT_EQ(written.event, "lbr:branch_stack");
  EXPECT_EQ(written.time, 5000u);
  EXPECT_EQ(written.thread.process, 10u);
  EXPECT_EQ(written.thread.thread, 11u);
  EXPECT_EQ(written.arguments.size(), 14u);
  EXPECT_EQ(std::get<int32_t>(written.arguments.at("cpu")), 2);
  EXPECT_EQ(std::get<uint32_t>(written.arguments.at("branches")), 32u);
  EXPECT_EQ(std::get<uint32_t>(written.arguments.at("mispredicted")), 8u);
  EXPECT_EQ(std::get<uint64_t>(written.arguments.at("cycles")), 96u);
  EXPECT_EQ(written.texts, (std::map<std::string, std::string>{{"event", "cycles"}}));
  EXPECT_EQ(std::get<fxt::PointerValue>(written.arguments.at("from0")).address, 0x1000u);
  EXPECT_EQ(std::get<fxt::PointerValue>(written.arguments.at("to4")).address, 0x2004u);
}

TEST(BranchStackWriterTest, DoesNotMirrorUnfilledSlots) {
  perf::BranchStackSample sample = MakeSample(2);
  sample.tid = sample.pid;
  sample.cpu.reset();
  sample.entries.resize(16, perf::BranchEntry{0, 0, perf::BranchEntry::kPredicted});
  const Written written = WriteAndRead(sample);
  EXPECT_EQ(written.blobs, std::vector<std::string>{"2 cpu65535"});
  EXPECT_EQ(written.sample, sample);
  EXPECT_EQ(std::get<uint32_t>(written.arguments.at("branches")), 2u);
  EXPECT_EQ(written.arguments.count("cpu"), 0u);
  EXPECT_EQ(written.arguments.count("from1"), 1u);
  EXPECT_EQ(written.arguments.count("from2"), 0u);
}

TEST(BranchStackWriterTest, WritesEmptyAndLongStacks) {
  for (const size_t branches : {0, 33, 2000}) {
    const perf::BranchStackSample sample = MakeSample(branches);
    const Written written = WriteAndRead(sample);
    EXPECT_EQ(written.sample, sample);
    EXPECT_EQ(std::get<uint32_t>(written.arguments.at("branches")), branches);
  }
}

}  // namespace
}  // namespace branches
