// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/dump.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "facts/record_kind.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/fxt/support/random_records.h"
#include "unit/support/json.h"

namespace analyze {
namespace {

using testing::RecordingParts;

// Lines by the label of their part.
std::map<std::string, std::string> Lines(RecordingParts& file, DumpOptions options) {
  fxt::MemorySource source(file.Bytes());
  fxt::Reader reader(source);
  Dumper dumper(options);
  std::map<std::string, std::string> lines;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    dumper.Note(reader);
    fmt::memory_buffer out;
    dumper.Print(reader, out);
    std::string line = fmt::to_string(out);
    EXPECT_EQ(line.back(), '\n');
    line.pop_back();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    lines[file.LabelAt(reader.offset())] = line;
  }
  return lines;
}

TEST(DumpTest, LinesHaveTimeKindAndNames) {
  RecordingParts file = RecordingParts::Sound();
  const auto lines = Lines(file, {});
  EXPECT_EQ(lines.at("info"), "                - provider id=1 name=fxt-record");
  EXPECT_EQ(lines.at("worker thread"),
            "                - kernel-object type=thread koid=101 name=worker {process=#100}");
  EXPECT_EQ(
      lines.at("switch to app"),
      "      1.000001000 switch cpu=0 out=swapper/0[0/4290772992] out_prio=0 out_state=R+(new) "
      "in=app[100/100] in_prio=120");
  // The instant before holds the Linux state.
  EXPECT_EQ(lines.at("switch from worker"),
            "      1.000013000 switch cpu=1 out=worker[100/101] out_prio=100 out_state=D(blocked) "
            "in=swapper/1[0/4290772993] in_prio=0");
  EXPECT_EQ(lines.at("wakeup worker"),
            "      1.000002000 wakeup cpu=1 thread=worker[101] waker=app[100]");
  EXPECT_EQ(lines.at("complete"),
            "      1.000005000 complete category=app name=step thread=app[100/100] duration_ns=500 "
            "{n=1}");
  EXPECT_EQ(lines.at("async begin"),
            "      1.000006000 async-begin category=app name=request thread=app[100/100] id=0x4d");
  EXPECT_EQ(lines.at("log"), "      1.000012000 log thread=app[100/100] message=\"a message\"");
  EXPECT_EQ(lines.at("branches"),
            "                - blob name=cpu1 type=2 bytes=48 cpu=1 branches=1 time=1000012000 "
            "address_space=100");
  EXPECT_EQ(lines.at("filled up"),
            "                - provider-event id=1 event=0 (a buffer filled up)");
}

TEST(DumpTest, RelativeTimesCountFromTheFirst) {
  RecordingParts file = RecordingParts::Sound();
  const auto lines = Lines(file, {.relative = true});
  EXPECT_EQ(lines.at("session").substr(0, 18), "      0.000000000 ");
  EXPECT_EQ(lines.at("log").substr(0, 18), "      0.000012000 ");
}

TEST(DumpTest, RawLinesHaveOffsetAndWords) {
  RecordingParts file = RecordingParts::Sound();
  const auto lines = Lines(file, {.raw = true});
  EXPECT_EQ(lines.at("magic"), "0x00000000                 - magic | 0016547846040010");
  EXPECT_EQ(lines.at("section").substr(0, 10), "0x00000020");
}

TEST(DumpTest, OddNamesAreQuoted) {
  RecordingParts file;
  file.Add("magic", fxt::MagicNumber{});
  file.Add("event", fxt::Event{fxt::EventType::kInstant,
                               1,
                               fxt::ThreadRef::Inline(1, 2),
                               fxt::StringRef::Inline("two words"),
                               fxt::StringRef::Inline("a\nb\xff"),
                               {},
                               0});
  EXPECT_EQ(
      Lines(file, {}).at("event"),
      "      0.000000001 instant category=\"two words\" name=\"a\\nb\xef\xbf\xbd\" thread=[1/2]");
}

TEST(DumpTest, JsonLinesAreObjects) {
  RecordingParts file = RecordingParts::Sound();
  const auto lines = Lines(file, {.json = true, .raw = true});
  const auto sw = testing_support::ParseJson(lines.at("switch from worker"));
  EXPECT_EQ(sw["kind"], "switch");
  EXPECT_EQ(sw["time_ns"], 1'000'013'000);
  EXPECT_EQ(sw["out"]["linux_state"], "D");
  EXPECT_EQ(sw["out"]["state"], "blocked");
  EXPECT_EQ(sw["out"]["thread_name"], "worker");
  EXPECT_EQ(sw["out"]["process_name"], "app");
  EXPECT_EQ(sw["in"]["thread"], testing::kIdle1);
  EXPECT_EQ(sw["offset"], file.Offset("switch from worker"));
  const auto event = testing_support::ParseJson(lines.at("complete"));
  EXPECT_EQ(event["args"][0]["name"], "n");
  EXPECT_EQ(event["args"][0]["type"], "uint32");
  EXPECT_EQ(event["args"][0]["value"], 1);
  const auto blob = testing_support::ParseJson(lines.at("branches"));
  EXPECT_EQ(blob["branches"][0]["to"], "0x2000");
}

// For any trace, each record is one line, and each JSON line is valid.
TEST(DumpTest, EveryRecordIsALine) {
  for (uint64_t seed = 100; seed < 104; ++seed) {
    fxt::testing::RandomRecords random(seed);
    fxt::testing::FileBuilder file;
    for (int i = 0; i < 300; ++i) {
      const fxt::Record record = random.Next();
      fxt::testing::CollectingSink sink;
      fxt::RecordBuffer buffer(sink);
      if (fxt::Encoder(buffer).Write(record) == fxt::EncodeStatus::kOk) file.Add(record);
    }
    for (const bool json : {false, true}) {
      fxt::MemorySource source(file.bytes());
      fxt::Reader reader(source);
      Dumper dumper({.json = json, .raw = true});
      while (reader.Next() == fxt::ReadStatus::kRecord) {
        dumper.Note(reader);
        fmt::memory_buffer out;
        dumper.Print(reader, out);
        const std::string line = fmt::to_string(out);
        ASSERT_EQ(line.find('\n'), line.size() - 1);
        if (!json) continue;
        const auto value = testing_support::ParseJson(line);
        ASSERT_EQ(value["kind"], facts::NameOf(facts::KindOf(reader.record())));
        ASSERT_EQ(value["words"].size(), reader.words().size());
      }
    }
  }
}

}  // namespace
}  // namespace analyze
