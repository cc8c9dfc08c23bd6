// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "unit/fxt/support/chunk_source.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/fxt/support/read_texts.h"
#include "unit/fxt/support/record_text.h"

namespace fxt {
namespace {

using testing::ChunkSource;
using testing::FileBuilder;
using testing::ReadTexts;
using testing::TestInstant;

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

ReadError ErrorOf(std::span<const std::byte> bytes) {
  MemorySource source(bytes);
  Reader reader(source);
  EXPECT_EQ(reader.Next(), ReadStatus::kError);
  EXPECT_FALSE(reader.error_message().empty());
  EXPECT_EQ(reader.Next(), ReadStatus::kError);
  return reader.error();
}

TEST(ReaderTest, RefusesOtherFiles) {
  EXPECT_EQ(ErrorOf({}), ReadError::kEmpty);
  EXPECT_EQ(ErrorOf(AsBytes("asdfasdfasdfasdfasdf")), ReadError::kNoMagic);
  EXPECT_EQ(ErrorOf(AsBytes("asd")), ReadError::kNoMagic);
  // A trace whose first byte is missing.
  FileBuilder file;
  file.Add(Initialization{1000});
  EXPECT_EQ(ErrorOf(file.bytes().subspan(1)), ReadError::kNoMagic);
}

TEST(ReaderTest, ReportsABigEndianFile) {
  const uint64_t swapped = __builtin_bswap64(kMagicRecord);
  EXPECT_EQ(ErrorOf(std::as_bytes(std::span(&swapped, 1))), ReadError::kBigEndian);
  MemorySource source(std::as_bytes(std::span(&swapped, 1)));
  Reader reader(source);
  reader.Next();
  EXPECT_NE(reader.error_message().find("big-endian"), std::string::npos);
}

TEST(ReaderTest, ReadsStreamsWithoutMagicOnRequest) {
  FileBuilder file(FileBuilder::kBare);
  file.Add(Initialization{1000});
  MemorySource source(file.bytes());
  ReaderOptions options;
  options.require_magic = false;
  Reader reader(source, options);
  EXPECT_EQ(ReadTexts(reader), std::vector<std::string>{"initialization 1000"});
  EXPECT_EQ(reader.status(), ReadStatus::kEnd);
}

TEST(ReaderTest, KeepsTablesPerProvider) {
  FileBuilder file;
  file.Add(StringRecord{1, "without provider"}).Add(TestInstant(1, StringRef::Indexed(1)));
  file.Add(ProviderInfo{7, "seven"}).Add(StringRecord{1, "of seven"});
  file.Add(Initialization{1000}).Add(ThreadRecord{1, 70, 71});
  file.Add(ProviderInfo{8, "eight"}).Add(StringRecord{1, "of eight"});
  file.Add(TestInstant(2, StringRef::Indexed(1)));
  file.Add(ProviderSection{7});
  file.Add(TestInstant(3, StringRef::Indexed(1), ThreadRef::Indexed(1)));
  file.Add(ProviderEvent{8, 0});  // delimits nothing
  file.Add(TestInstant(4, StringRef::Indexed(1)));
  file.Add(ProviderSection{0}).Add(TestInstant(5, StringRef::Indexed(1)));

  MemorySource source(file.bytes());
  Reader reader(source);
  std::vector<std::string> seen;
  while (reader.Next() == ReadStatus::kRecord) {
    const auto* event = std::get_if<Event>(&reader.record());
    if (event == nullptr) continue;
    seen.push_back(std::to_string(event->timestamp) + " " + std::string(event->name.text) +
                   " provider " + std::to_string(reader.provider().id()) + " '" +
                   std::string(reader.provider().name()) + "' " +
                   std::to_string(reader.provider().ticks_per_second()) + " " +
                   std::to_string(event->thread.thread));
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"1 without provider provider 0 '' 1000000000 2",
                                            "2 of eight provider 8 'eight' 1000000000 2",
                                            "3 of seven provider 7 'seven' 1000 71",
                                            "4 of seven provider 7 'seven' 1000 2",
                                            "5 without provider provider 0 '' 1000000000 2"}));
  // Provider 0 exists without an announcement, but a section of it is unusual.
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUnknownProvider), 1u);
}

TEST(ReaderTest, TheLastDefinitionWins) {
  FileBuilder file;
  file.Add(StringRecord{5, "a long first definition"}).Add(TestInstant(1, StringRef::Indexed(5)));
  file.Add(StringRecord{5, "second"}).Add(TestInstant(2, StringRef::Indexed(5)));
  file.Add(StringRecord{5, ""}).Add(TestInstant(3, StringRef::Indexed(5)));
  file.Add(ThreadRecord{9, 1, 2}).Add(ThreadRecord{9, 3, 4});
  file.Add(TestInstant(4, StringRef::Empty(), ThreadRef::Indexed(9)));
  MemorySource source(file.bytes());
  Reader reader(source);
  std::vector<std::string> names;
  while (reader.Next() == ReadStatus::kRecord) {
    if (const auto* event = std::get_if<Event>(&reader.record())) {
      names.push_back(std::string(event->name.text) + "/" + std::to_string(event->thread.thread));
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a long first definition/2", "second/2", "/2", "/4"}));
  EXPECT_EQ(reader.diagnostics().total(), 0u);
}

TEST(ReaderTest, ReadsUndefinedReferencesAsEmptyAndReportsThem) {
  FileBuilder file;
  const uint64_t at = file.size();
  file.Add(TestInstant(1, StringRef::Indexed(77), ThreadRef::Indexed(200)));
  file.Add(LegacyContextSwitch{2, 0, ThreadState::kBlocked, ThreadRef::Indexed(3),
                               ThreadRef::Indexed(4), 0, 0});
  MemorySource source(file.bytes());
  Reader reader(source);
  EXPECT_EQ(ReadTexts(reader),
            (std::vector<std::string>{"magic", "instant t=1 @200:0/0 'test' #77'' {}",
                                      "legacy switch t=2 cpu 0 @3:0/0 state 3 prio 0 -> @4:0/0 "
                                      "prio 0"}));
  const auto& kept = reader.diagnostics().kept();
  ASSERT_EQ(kept.size(), 4u);
  EXPECT_EQ(kept[0], (Diagnostic{DiagnosticKind::kUndefinedThread, 4, at, 200}));
  EXPECT_EQ(kept[1], (Diagnostic{DiagnosticKind::kUndefinedString, 4, at, 77}));
  EXPECT_EQ(kept[2].value, 3u);
  EXPECT_EQ(kept[3].value, 4u);
}

TEST(ReaderTest, ReadsACutFileToItsLastWholeRecord) {
  FileBuilder file;
  for (Ticks time = 1; time <= 5; ++time) file.Add(TestInstant(time, StringRef::Inline("event")));
  const auto bytes = file.bytes();
  const size_t record_bytes = (bytes.size() - 8) / 5;
  for (size_t length = 8; length <= bytes.size(); ++length) {
    const size_t whole = (length - 8) / record_bytes;
    const size_t rest = (length - 8) % record_bytes;
    for (const bool streamed : {false, true}) {
      MemorySource memory(bytes.first(length));
      ChunkSource chunks(bytes.first(length), 5);
      Reader reader(streamed ? static_cast<ByteSource&>(chunks) : memory);
      EXPECT_EQ(ReadTexts(reader).size(), 1 + whole);
      EXPECT_EQ(reader.status(), ReadStatus::kEnd);
      EXPECT_EQ(reader.truncated(), rest != 0) << length;
      if (rest == 0) continue;
      ASSERT_EQ(reader.diagnostics().total(), 1u);
      EXPECT_EQ(reader.diagnostics().kept()[0],
                (Diagnostic{DiagnosticKind::kTruncatedRecord, 4, 8 + whole * record_bytes, rest}));
    }
  }
}

TEST(ReaderTest, ReportsATruncatedSource) {
  FileBuilder file;
  ChunkSource source(file.bytes());
  source.ending = ReadResult::Kind::kTruncated;
  Reader reader(source);
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
  EXPECT_EQ(reader.Next(), ReadStatus::kEnd);
  EXPECT_TRUE(reader.truncated());
}

TEST(ReaderTest, AFailingSourceEndsTheReading) {
  FileBuilder file;
  file.Add(Initialization{1});
  ChunkSource source(file.bytes());
  source.ending = ReadResult::Kind::kError;
  Reader reader(source);
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
  EXPECT_EQ(reader.Next(), ReadStatus::kError);
  EXPECT_EQ(reader.error(), ReadError::kSource);
  EXPECT_NE(reader.error_message().find("the line went dead"), std::string::npos);
}

TEST(ReaderTest, ReadsAPipeThatIsEmptyForAWhile) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  FileBuilder file;
  file.Add(TestInstant(1, StringRef::Inline("event")));
  const auto bytes = file.bytes();
  FdSource source(ends[0], FdSource::Ownership::kOwned);
  Reader reader(source);
  EXPECT_EQ(reader.Next(), ReadStatus::kNeedMore);
  ASSERT_EQ(write(ends[1], bytes.data(), 20), 20);
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
  EXPECT_EQ(reader.Next(), ReadStatus::kNeedMore);
  EXPECT_EQ(reader.Next(), ReadStatus::kNeedMore);
  ASSERT_EQ(write(ends[1], bytes.data() + 20, bytes.size() - 20),
            static_cast<ssize_t>(bytes.size() - 20));
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
  close(ends[1]);
  EXPECT_EQ(reader.Next(), ReadStatus::kEnd);
  EXPECT_FALSE(reader.truncated());
}

TEST(ReaderTest, ConvertsTicksWithoutOverflow) {
  constexpr auto kMax = std::numeric_limits<uint64_t>::max();
  struct Case {
    uint64_t rate, ticks, nanoseconds;
  };
  for (const Case& c : {Case{1'000'000'000, kMax, kMax},
                        {1, 5, 5'000'000'000},
                        {1, kMax, kMax},  // does not fit
                        {3, 1, 333'333'333},
                        {2'400'000'000, 24, 10},
                        {2'400'000'000, kMax, 7686143364045646506},
                        {kMax, kMax, 1'000'000'000},
                        {1'000'000, 1'234'567, 1'234'567'000}}) {
    FileBuilder file;
    file.Add(Initialization{c.rate});
    MemorySource source(file.bytes());
    Reader reader(source);
    EXPECT_EQ(ReadTexts(reader).size(), 2u);
    EXPECT_EQ(reader.ToNanoseconds(c.ticks), c.nanoseconds) << c.rate << " " << c.ticks;
  }
}

TEST(ReaderTest, PassesEveryDiagnosticToTheHandler) {
  FileBuilder file;
  for (int i = 0; i < 10; ++i) file.Raw({0x1b});
  uint64_t calls = 0;
  ReaderOptions options;
  options.max_diagnostics = 3;
  options.on_diagnostic = [&](const Diagnostic& d) { calls += d.value == 11; };
  MemorySource source(file.bytes());
  Reader reader(source, options);
  ReadTexts(reader);
  EXPECT_EQ(calls, 10u);
  EXPECT_EQ(reader.diagnostics().kept().size(), 3u);
}

TEST(ReaderTest, ReadsSwitchesOnBothPaths) {
  // The same switches with indexed threads (fast path), with an undefined thread, and inline.
  FileBuilder file;
  file.Add(ThreadRecord{1, 10, 11}).Add(ThreadRecord{2, 20, 21});
  const LegacyContextSwitch record{
      5,   3, ThreadState::kBlocked, ThreadRef::Indexed(1, 10, 11), ThreadRef::Indexed(2, 20, 21),
      120, 99};
  file.Add(record).Add(record);
  LegacyContextSwitch half = record;
  half.incoming = ThreadRef::Indexed(3);
  file.Add(half).Add(record);
  LegacyContextSwitch in_place = record;
  in_place.outgoing = ThreadRef::Inline(10, 11);
  file.Add(in_place);
  MemorySource source(file.bytes());
  Reader reader(source);
  const auto texts = ReadTexts(reader);
  ASSERT_EQ(texts.size(), 8u);
  for (const size_t i : {3, 4, 6}) EXPECT_EQ(texts[i], testing::ToText(record));
  EXPECT_EQ(texts[5], testing::ToText(half));
  EXPECT_EQ(texts[7], testing::ToText(in_place));
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUndefinedThread), 1u);
}

TEST(ReaderTest, ReadsWakeupsOnBothPaths) {
  // Fast path: one koid argument with an indexed name. Each other wakeup differs in one property.
  FileBuilder file;
  file.Add(StringRecord{1, "waker"});
  const Argument by{StringRef::Indexed(1, "waker"), KoidValue{8}};
  const Argument undefined{StringRef::Indexed(2), KoidValue{8}};
  const Argument in_place{StringRef::Inline("waker"), KoidValue{8}};
  const Argument number{StringRef::Indexed(1, "waker"), uint64_t{8}};
  const Argument two[] = {by, {StringRef::Indexed(1, "waker"), int32_t{-5}}};
  std::vector<std::string> expected;
  const auto add = [&](std::span<const Argument> arguments) {
    const ThreadWakeup record{5 + expected.size(), 300, 7, arguments};
    file.Add(record);
    expected.push_back(testing::ToText(record));
  };
  for (int round = 0; round < 2; ++round) {
    for (const Argument* one : {&by, &by, &undefined, &by, &in_place, &number}) add({one, 1});
    add(two);
    add({});
  }
  add({&by, 1});
  MemorySource source(file.bytes());
  Reader reader(source);
  auto texts = ReadTexts(reader);
  texts.erase(texts.begin(), texts.end() - static_cast<long>(expected.size()));
  EXPECT_EQ(texts, expected);
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUndefinedString), 2u);
}

}  // namespace
}  // namespace fxt
