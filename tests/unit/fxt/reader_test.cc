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
#include "unit/fxt/support/record_text.h"

namespace fxt {
namespace {

using testing::ChunkSource;
using testing::FileBuilder;

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Event Instant(Ticks time, StringRef name, ThreadRef thread = ThreadRef::Inline(1, 2)) {
  return {EventType::kInstant, time, thread, StringRef::Inline("test"), name, {}, 0};
}

// Texts of all records; stops at an error.
std::vector<std::string> Texts(Reader& reader) {
  std::vector<std::string> texts;
  while (reader.Next() == ReadStatus::kRecord) texts.push_back(testing::ToText(reader.record()));
  return texts;
}

ReadError ErrorOf(std::span<const std::byte> bytes) {
  MemorySource source(bytes);
  Reader reader(source);
  EXPECT_EQ(reader.Next(), ReadStatus::kError);
  EXPECT_FALSE(reader.error_message().empty());
  EXPECT_EQ(reader.Next(), ReadStatus::kError);
  return reader.error();
}

TEST(ReaderTest, RefusesWhatIsNoTrace) {
  EXPECT_EQ(ErrorOf({}), ReadError::kEmpty);
  EXPECT_EQ(ErrorOf(AsBytes("asdfasdfasdfasdfasdf")), ReadError::kNoMagic);
  EXPECT_EQ(ErrorOf(AsBytes("asd")), ReadError::kNoMagic);
  // A trace whose first byte is missing.
  FileBuilder file;
  file.Add(Initialization{1000});
  EXPECT_EQ(ErrorOf(file.bytes().subspan(1)), ReadError::kNoMagic);
}

TEST(ReaderTest, SaysThatAFileIsBigEndian) {
  const uint64_t swapped = __builtin_bswap64(kMagicRecord);
  EXPECT_EQ(ErrorOf(std::as_bytes(std::span(&swapped, 1))), ReadError::kBigEndian);
  MemorySource source(std::as_bytes(std::span(&swapped, 1)));
  Reader reader(source);
  reader.Next();
  EXPECT_NE(reader.error_message().find("big-endian"), std::string::npos);
}

TEST(ReaderTest, ReadsStreamsWithoutMagicWhenTold) {
  FileBuilder file(FileBuilder::kBare);
  file.Add(Initialization{1000});
  MemorySource source(file.bytes());
  ReaderOptions options;
  options.require_magic = false;
  Reader reader(source, options);
  EXPECT_EQ(Texts(reader), std::vector<std::string>{"initialization 1000"});
  EXPECT_EQ(reader.status(), ReadStatus::kEnd);
}

TEST(ReaderTest, KeepsTablesPerProvider) {
  FileBuilder file;
  file.Add(StringRecord{1, "of nobody"}).Add(Instant(1, StringRef::Indexed(1)));
  file.Add(ProviderInfo{7, "seven"}).Add(StringRecord{1, "of seven"});
  file.Add(Initialization{1000}).Add(ThreadRecord{1, 70, 71});
  file.Add(ProviderInfo{8, "eight"}).Add(StringRecord{1, "of eight"});
  file.Add(Instant(2, StringRef::Indexed(1)));
  file.Add(ProviderSection{7});
  file.Add(Instant(3, StringRef::Indexed(1), ThreadRef::Indexed(1)));
  file.Add(ProviderEvent{8, 0});  // delimits nothing
  file.Add(Instant(4, StringRef::Indexed(1)));
  file.Add(ProviderSection{0}).Add(Instant(5, StringRef::Indexed(1)));

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
  EXPECT_EQ(seen, (std::vector<std::string>{"1 of nobody provider 0 '' 1000000000 2",
                                            "2 of eight provider 8 'eight' 1000000000 2",
                                            "3 of seven provider 7 'seven' 1000 71",
                                            "4 of seven provider 7 'seven' 1000 2",
                                            "5 of nobody provider 0 '' 1000000000 2"}));
  // Provider 0 is there without an announcement, but a section of it is unusual.
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUnknownProvider), 1u);
}

TEST(ReaderTest, TheLastDefinitionWins) {
  FileBuilder file;
  file.Add(StringRecord{5, "a long first definition"}).Add(Instant(1, StringRef::Indexed(5)));
  file.Add(StringRecord{5, "second"}).Add(Instant(2, StringRef::Indexed(5)));
  file.Add(StringRecord{5, ""}).Add(Instant(3, StringRef::Indexed(5)));
  file.Add(ThreadRecord{9, 1, 2}).Add(ThreadRecord{9, 3, 4});
  file.Add(Instant(4, StringRef::Empty(), ThreadRef::Indexed(9)));
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

TEST(ReaderTest, UndefinedReferencesAreReadAsEmptyAndReported) {
  FileBuilder file;
  const uint64_t at = file.size();
  file.Add(Instant(1, StringRef::Indexed(77), ThreadRef::Indexed(200)));
  file.Add(LegacyContextSwitch{2, 0, ThreadState::kBlocked, ThreadRef::Indexed(3),
                               ThreadRef::Indexed(4), 0, 0});
  MemorySource source(file.bytes());
  Reader reader(source);
  EXPECT_EQ(Texts(reader),
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

TEST(ReaderTest, UnknownTypesAreSkippedBySizeAndCounted) {
  FileBuilder file;
  file.Raw({0x3b | 0x1230000, 1, 2});                                      // record type 11
  file.Raw({uint64_t{2} << 4 | 0xc << 16, 5});                             // metadata type 12
  file.Raw({0x24 | uint64_t{11} << 16, 5});                                // event type 11
  file.Raw({0x28 | uint64_t{9} << 60, 5});                                 // scheduling type 9
  file.Raw({0x2a | uint64_t{3} << 16, 5});                                 // profiler type 3
  file.Raw({0x2f | uint64_t{1} << 36, 5});                                 // large type 1
  file.Raw({0x2f | uint64_t{2} << 40, 5});                                 // large blob format 2
  file.Raw({0x44 | uint64_t{1} << 20 | uint64_t{1} << 24, 99, 0x2b, 17});  // argument type 11
  file.Add(Initialization{3});
  MemorySource source(file.bytes());
  Reader reader(source);
  const auto texts = Texts(reader);
  ASSERT_EQ(texts.size(), 10u);
  EXPECT_EQ(texts[1], "unknown 11 <000000000123003b,0000000000000001,0000000000000002,>");
  for (size_t i = 2; i < 8; ++i) EXPECT_EQ(texts[i].substr(0, 7), "unknown") << i;
  EXPECT_EQ(texts[8],
            "instant t=99 @1:0/0 '' '' {'': unknown 11 "
            "<000000000000002b,0000000000000011,>}");
  EXPECT_EQ(texts[9], "initialization 3");
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUnknownRecordType), 1u);
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUnknownSubtype), 6u);
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUnknownArgumentType), 1u);
  EXPECT_EQ(reader.diagnostics().count(DiagnosticClass::kMalformed), 0u);
}

TEST(ReaderTest, WordsAppendedToARecordAreTolerated) {
  FileBuilder file;
  file.Raw({0x31, 1000, 0xabc});  // initialization with a word that a later edition might add
  file.Raw({0x44 | uint64_t{1} << 20 | uint64_t{1} << 24, 99, 0x29 | uint64_t{1} << 32, 17});
  MemorySource source(file.bytes());
  Reader reader(source);
  EXPECT_EQ(Texts(reader), (std::vector<std::string>{"magic", "initialization 1000",
                                                     "instant t=99 @1:0/0 '' '' {'': true}"}));
  EXPECT_EQ(reader.diagnostics().count(DiagnosticClass::kMalformed), 0u);
}

struct Malformed {
  const char* what;
  std::vector<uint64_t> words;
  DiagnosticKind kind;
};

TEST(ReaderTest, MalformedRecordsAreSkippedAndReported) {
  constexpr uint64_t kInline = kInlineStringBit;
  const Malformed cases[] = {
      {"initialization without rate", {0x11}, DiagnosticKind::kRecordTooShort},
      {"0 ticks per second", {0x21, 0}, DiagnosticKind::kZeroTickRate},
      {"string cut", {0x22 | 1 << 16 | uint64_t{9} << 32, 0}, DiagnosticKind::kStringPastEnd},
      {"string index 0", {0x22 | uint64_t{1} << 32, 'a'}, DiagnosticKind::kReservedIndex},
      {"thread without koids", {0x23 | 1 << 16, 1}, DiagnosticKind::kRecordTooShort},
      {"thread index 0", {0x33, 1, 2}, DiagnosticKind::kReservedIndex},
      {"event without time", {0x14}, DiagnosticKind::kRecordTooShort},
      {"event without inline thread", {0x34, 1, 2}, DiagnosticKind::kRecordTooShort},
      {"category past end",
       {0x24 | 1 << 24 | (kInline | 1) << 32, 1},
       DiagnosticKind::kStringPastEnd},
      {"name past end",
       {0x34 | 1 << 24 | (kInline | 9) << 48, 1, 0},
       DiagnosticKind::kStringPastEnd},
      {"argument past end", {0x24 | 1 << 20 | 1 << 24, 1}, DiagnosticKind::kArgumentPastEnd},
      {"argument size past end",
       {0x34 | 1 << 20 | 1 << 24, 1, 0x20},
       DiagnosticKind::kArgumentPastEnd},
      {"argument size 0", {0x34 | 1 << 20 | 1 << 24, 1, 0x01}, DiagnosticKind::kArgumentSizeZero},
      {"argument without its value",
       {0x34 | 1 << 20 | 1 << 24, 1, 0x14},
       DiagnosticKind::kArgumentTooShort},
      {"argument whose name takes its value's place",
       {0x44 | 1 << 20 | 1 << 24, 1, 0x23 | (kInline | 1) << 16, 'n'},
       DiagnosticKind::kArgumentTooShort},
      {"string argument past its end, inside the record",
       {0x44 | 1 << 20 | 1 << 24, 1, 0x16 | (kInline | 8) << 32, 0},
       DiagnosticKind::kStringPastEnd},
      {"blob argument past its end",
       {0x44 | 1 << 20 | 1 << 24, 1, 0x1a | uint64_t{1} << 32, 0},
       DiagnosticKind::kPayloadPastEnd},
      {"counter without id", {0x24 | 1 << 16 | 1 << 24, 1}, DiagnosticKind::kRecordTooShort},
      {"blob past end", {0x25 | uint64_t{9} << 32, 0}, DiagnosticKind::kPayloadPastEnd},
      {"userspace object without process", {0x26, 1}, DiagnosticKind::kRecordTooShort},
      {"kernel object without koid", {0x17}, DiagnosticKind::kRecordTooShort},
      {"switch without time", {0x18}, DiagnosticKind::kRecordTooShort},
      {"switch without inline thread", {0x38, 1, 2}, DiagnosticKind::kRecordTooShort},
      {"new switch too short", {0x38 | uint64_t{1} << 60, 1, 2}, DiagnosticKind::kRecordTooShort},
      {"wakeup too short", {0x28 | uint64_t{2} << 60, 1}, DiagnosticKind::kRecordTooShort},
      {"log past end", {0x39 | 9 << 16 | uint64_t{1} << 32, 1, 0}, DiagnosticKind::kStringPastEnd},
      {"module name past end",
       {0x2a | 1 << 20 | uint64_t{1} << 44, 1},
       DiagnosticKind::kStringPastEnd},
      {"build id past end",
       {0x2a | 1 << 20 | uint64_t{1} << 52, 1},
       DiagnosticKind::kPayloadPastEnd},
      {"mmap too short", {0x3a | 1 << 16 | 1 << 20, 1, 2}, DiagnosticKind::kRecordTooShort},
      {"backtrace too short",
       {0x2a | 2 << 16 | 1 << 20 | 1 << 28, 1},
       DiagnosticKind::kPayloadPastEnd},
      {"large blob without size", {0x2f | uint64_t{1} << 40, 0}, DiagnosticKind::kRecordTooShort},
      {"large blob past end", {0x4f | uint64_t{1} << 40, 0, 9, 0}, DiagnosticKind::kPayloadPastEnd},
      {"large blob that claims all memory",
       {0x4f | uint64_t{1} << 40, 0, ~uint64_t{0}, 0},
       DiagnosticKind::kPayloadPastEnd},
      {"large blob with metadata, no time", {0x2f, 0}, DiagnosticKind::kRecordTooShort},
      {"provider name past end",
       {uint64_t{1} << 52 | 1 << 16 | 0x10},
       DiagnosticKind::kStringPastEnd},
      {"another magic number", {0x0016547847040010}, DiagnosticKind::kBadMagicNumber},
  };
  for (const Malformed& bad : cases) {
    SCOPED_TRACE(bad.what);
    FileBuilder file;
    file.Raw(bad.words);
    file.Add(Initialization{4711});
    MemorySource source(file.bytes());
    Reader reader(source);
    EXPECT_EQ(Texts(reader), (std::vector<std::string>{"magic", "initialization 4711"}));
    EXPECT_EQ(reader.status(), ReadStatus::kEnd);
    uint64_t malformed = 0;
    for (const Diagnostic& diagnostic : reader.diagnostics().kept()) {
      if (ClassOf(diagnostic.kind) != DiagnosticClass::kMalformed) continue;
      ++malformed;
      EXPECT_EQ(diagnostic.kind, bad.kind) << ToString(diagnostic);
      EXPECT_EQ(diagnostic.offset, 8u);
      EXPECT_EQ(diagnostic.record_type, bad.words[0] & 0xf);
    }
    EXPECT_EQ(malformed, 1u);
  }
}

TEST(ReaderTest, ACutFileIsReadToItsLastWholeRecord) {
  FileBuilder file;
  for (Ticks time = 1; time <= 5; ++time) file.Add(Instant(time, StringRef::Inline("event")));
  const auto bytes = file.bytes();
  const size_t record_bytes = (bytes.size() - 8) / 5;
  for (size_t length = 8; length <= bytes.size(); ++length) {
    const size_t whole = (length - 8) / record_bytes;
    const size_t rest = (length - 8) % record_bytes;
    for (const bool streamed : {false, true}) {
      MemorySource memory(bytes.first(length));
      ChunkSource chunks(bytes.first(length), 5);
      Reader reader(streamed ? static_cast<ByteSource&>(chunks) : memory);
      EXPECT_EQ(Texts(reader).size(), 1 + whole);
      EXPECT_EQ(reader.status(), ReadStatus::kEnd);
      EXPECT_EQ(reader.truncated(), rest != 0) << length;
      if (rest == 0) continue;
      ASSERT_EQ(reader.diagnostics().total(), 1u);
      EXPECT_EQ(reader.diagnostics().kept()[0],
                (Diagnostic{DiagnosticKind::kTruncatedRecord, 4, 8 + whole * record_bytes, rest}));
    }
  }
}

TEST(ReaderTest, ASourceThatKnowsItWasCutSaysSo) {
  FileBuilder file;
  ChunkSource source(file.bytes());
  source.ending = ReadResult::Kind::kTruncated;
  Reader reader(source);
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
  EXPECT_EQ(reader.Next(), ReadStatus::kEnd);
  EXPECT_TRUE(reader.truncated());
}

TEST(ReaderTest, ASourceThatFailsEndsTheReading) {
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

TEST(ReaderTest, ReadsAPipeThatHasNothingForAWhile) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  FileBuilder file;
  file.Add(Instant(1, StringRef::Inline("event")));
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

TEST(ReaderTest, TicksAreConvertedWithoutOverflow) {
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
    EXPECT_EQ(Texts(reader).size(), 2u);
    EXPECT_EQ(reader.ToNanoseconds(c.ticks), c.nanoseconds) << c.rate << " " << c.ticks;
  }
}

// A size field that lies makes the window grow only as far as bytes arrive.
TEST(ReaderTest, ALyingSizeCostsNoMemory) {
  FileBuilder file;
  const uint64_t words = 0xffffffff;
  file.Raw({0xf | words << 4 | uint64_t{1} << 40, 0, words * 8});
  for (int i = 0; i < 10'000; ++i) file.Raw({0x28 | uint64_t{1} << 28 | uint64_t{1} << 36, 1});
  ChunkSource source(file.bytes());
  Reader reader(source);
  EXPECT_EQ(Texts(reader).size(), 1u);
  EXPECT_TRUE(reader.truncated());
  EXPECT_LE(reader.memory_bytes(), size_t{2} << 20);
}

TEST(ReaderTest, RecordsAboveTheLimitAreSkippedInStreamsAndReadFromMemory) {
  FileBuilder file;
  const std::vector<std::byte> payload(3 << 20, std::byte{7});
  file.Add(LargeBlob{StringRef::Inline("c"), StringRef::Inline("n"), payload});
  file.Add(Initialization{5});
  ReaderOptions options;
  options.window_bytes = 1 << 16;
  options.max_record_bytes = 1 << 20;
  for (const size_t chunk : {size_t{1000}, size_t{1} << 20}) {
    ChunkSource source(file.bytes(), chunk);
    source.again_between = true;
    Reader reader(source, options);
    std::vector<std::string> texts;
    for (ReadStatus status = reader.Next(); status != ReadStatus::kEnd; status = reader.Next()) {
      ASSERT_NE(status, ReadStatus::kError);
      if (status == ReadStatus::kRecord) texts.push_back(testing::ToText(reader.record()));
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"magic", "initialization 5"}));
    EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kRecordTooLarge), 1u);
    EXPECT_LE(reader.memory_bytes(), size_t{2} << 20);
  }
  MemorySource source(file.bytes());
  Reader reader(source, options);
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
  EXPECT_EQ(reader.Next(), ReadStatus::kRecord);
  EXPECT_EQ(std::get<LargeBlob>(reader.record()).payload.size(), payload.size());
}

TEST(ReaderTest, TablesStayWithinTheirBudget) {
  FileBuilder file;
  const std::string text(32000, 'x');
  for (uint32_t provider = 1; provider <= 2000; ++provider) {
    file.Add(ProviderInfo{provider, "p"}).Add(StringRecord{0x7fff, text});
  }
  file.Add(Instant(1, StringRef::Indexed(0x7fff)));
  MemorySource source(file.bytes());
  ReaderOptions options;
  options.max_table_bytes = 8 << 20;
  Reader reader(source, options);
  const auto texts = Texts(reader);
  EXPECT_EQ(texts.size(), 1 + 4000 + 1);
  EXPECT_EQ(texts.back(), "instant t=1 1/2 'test' #32767'' {}");
  EXPECT_LE(reader.memory_bytes(), size_t{8} << 20);
  EXPECT_GT(reader.diagnostics().count(DiagnosticKind::kTableLimit), 0u);
  EXPECT_EQ(reader.diagnostics().kept().size(), 100u);
}

TEST(ReaderTest, TheHandlerGetsEveryDiagnostic) {
  FileBuilder file;
  for (int i = 0; i < 10; ++i) file.Raw({0x1b});
  uint64_t calls = 0;
  ReaderOptions options;
  options.max_diagnostics = 3;
  options.on_diagnostic = [&](const Diagnostic& d) { calls += d.value == 11; };
  MemorySource source(file.bytes());
  Reader reader(source, options);
  Texts(reader);
  EXPECT_EQ(calls, 10u);
  EXPECT_EQ(reader.diagnostics().kept().size(), 3u);
}

TEST(ReaderTest, SwitchesTakeTheShortWayAndTheLongOne) {
  // The same switches with indexed threads (short way), with one undefined, and inline.
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
  const auto texts = Texts(reader);
  ASSERT_EQ(texts.size(), 8u);
  for (const size_t i : {3, 4, 6}) EXPECT_EQ(texts[i], testing::ToText(record));
  EXPECT_EQ(texts[5], testing::ToText(half));
  EXPECT_EQ(texts[7], testing::ToText(in_place));
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUndefinedThread), 1u);
}

TEST(ReaderTest, WakeupsTakeTheShortWayAndTheLongOne) {
  // The short way: one koid under a name of the table. The others differ from that in one thing.
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
  auto texts = Texts(reader);
  texts.erase(texts.begin(), texts.end() - static_cast<long>(expected.size()));
  EXPECT_EQ(texts, expected);
  EXPECT_EQ(reader.diagnostics().count(DiagnosticKind::kUndefinedString), 2u);
}

TEST(MappedFileSourceTest, MapsFilesAndRefusesWhatIsNone) {
  FILE* file = tmpfile();
  ASSERT_NE(file, nullptr);
  std::error_code error;
  {
    const auto empty = MappedFileSource::Map(fileno(file), error);
    ASSERT_NE(empty, nullptr);
    Reader reader(*empty);
    EXPECT_EQ(reader.Next(), ReadStatus::kError);
    EXPECT_EQ(reader.error(), ReadError::kEmpty);
  }
  FileBuilder builder;
  builder.Add(StringRecord{1, "kept"});
  // More than what is opened up at once, so that pages are given back on the way.
  const uint64_t count = (20 << 20) / 16;
  for (uint64_t i = 0; i < count; ++i) {
    builder.Add(
        Event{EventType::kInstant, i, ThreadRef::Indexed(1), {}, StringRef::Indexed(1), {}, 0});
  }
  const auto bytes = builder.bytes();
  ASSERT_EQ(fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  ASSERT_EQ(fflush(file), 0);
  const auto source = MappedFileSource::Map(fileno(file), error);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->total(), bytes.size());
  Reader reader(*source);
  uint64_t events = 0;
  while (reader.Next() == ReadStatus::kRecord) {
    const auto* event = std::get_if<Event>(&reader.record());
    if (event == nullptr) continue;
    ASSERT_EQ(event->timestamp, events);
    ASSERT_EQ(event->name.text, "kept");
    ++events;
  }
  EXPECT_EQ(events, count);
  EXPECT_GT(source->position(), bytes.size() / 2);
  fclose(file);

  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(MappedFileSource::Map(ends[0], error), nullptr);
  EXPECT_TRUE(error);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace fxt
