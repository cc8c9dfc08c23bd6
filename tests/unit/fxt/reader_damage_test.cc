// SPDX-License-Identifier: BSD-2-Clause
// Wrong and unknown records are skipped, counted and reported; the following ones are read.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fxt/reader.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/fxt/support/read_texts.h"

namespace fxt {
namespace {

using testing::FileBuilder;
using testing::ReadTexts;

TEST(ReaderDamageTest, SkipsAndCountsUnknownTypes) {
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
  const auto texts = ReadTexts(reader);
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

TEST(ReaderDamageTest, IgnoresWordsAppendedToARecord) {
  FileBuilder file;
  file.Raw({0x31, 1000, 0xabc});  // initialization with a word of a later edition
  file.Raw({0x44 | uint64_t{1} << 20 | uint64_t{1} << 24, 99, 0x29 | uint64_t{1} << 32, 17});
  MemorySource source(file.bytes());
  Reader reader(source);
  EXPECT_EQ(ReadTexts(reader), (std::vector<std::string>{"magic", "initialization 1000",
                                                         "instant t=99 @1:0/0 '' '' {'': true}"}));
  EXPECT_EQ(reader.diagnostics().count(DiagnosticClass::kMalformed), 0u);
}

struct Malformed {
  const char* what;
  std::vector<uint64_t> words;
  DiagnosticKind kind;
};

TEST(ReaderDamageTest, SkipsAndReportsMalformedRecords) {
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
    EXPECT_EQ(ReadTexts(reader), (std::vector<std::string>{"magic", "initialization 4711"}));
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

}  // namespace
}  // namespace fxt
