// SPDX-License-Identifier: BSD-2-Clause
// Limits on the reader's memory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fxt/reader.h"
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

// A wrong size field makes the window grow only as far as bytes arrive.
TEST(ReaderLimitsTest, AWrongSizeCostsNoMemory) {
  FileBuilder file;
  const uint64_t words = 0xffffffff;
  file.Raw({0xf | words << 4 | uint64_t{1} << 40, 0, words * 8});
  for (int i = 0; i < 10'000; ++i) file.Raw({0x28 | uint64_t{1} << 28 | uint64_t{1} << 36, 1});
  ChunkSource source(file.bytes());
  Reader reader(source);
  EXPECT_EQ(ReadTexts(reader).size(), 1u);
  EXPECT_TRUE(reader.truncated());
  EXPECT_LE(reader.memory_bytes(), size_t{2} << 20);
}

TEST(ReaderLimitsTest, SkipsRecordsAboveTheLimitInStreams) {
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

TEST(ReaderLimitsTest, LimitsTables) {
  FileBuilder file;
  const std::string text(32000, 'x');
  for (uint32_t provider = 1; provider <= 2000; ++provider) {
    file.Add(ProviderInfo{provider, "p"}).Add(StringRecord{0x7fff, text});
  }
  file.Add(TestInstant(1, StringRef::Indexed(0x7fff)));
  MemorySource source(file.bytes());
  ReaderOptions options;
  options.max_table_bytes = 8 << 20;
  Reader reader(source, options);
  const auto texts = ReadTexts(reader);
  EXPECT_EQ(texts.size(), 1 + 4000 + 1);
  EXPECT_EQ(texts.back(), "instant t=1 1/2 'test' #32767'' {}");
  EXPECT_LE(reader.memory_bytes(), size_t{8} << 20);
  EXPECT_GT(reader.diagnostics().count(DiagnosticKind::kTableLimit), 0u);
  EXPECT_EQ(reader.diagnostics().kept().size(), 100u);
}

// Providers that fill their tables cannot take the memory of the recorder's names.
TEST(ReaderLimitsTest, ReservesMemoryForTheFirstProvider) {
  constexpr size_t kTableBytes = size_t{4} << 20;
  FileBuilder file;
  file.Add(ProviderInfo{1, "recorder"}).Add(StringRecord{1, "first"});
  const std::string text(32000, 'x');
  for (uint32_t provider = 2; provider <= 100; ++provider) {
    file.Add(ProviderInfo{provider, "program" + std::to_string(provider)});
    for (uint16_t index = 1; index <= 10; ++index) file.Add(StringRecord{index, text});
  }
  // The recorder has several providers of its name, one for each thread table.
  file.Add(ProviderInfo{101, "recorder"});
  for (uint16_t index = 1; index <= 1000; ++index) {
    file.Add(StringRecord{index, "name " + std::to_string(index)});
  }
  file.Add(ThreadRecord{1, 7, 8});
  file.Add(TestInstant(1, StringRef::Indexed(1000), ThreadRef::Indexed(1)));
  file.Add(ProviderSection{1}).Add(StringRecord{2, "second"});
  file.Add(TestInstant(2, StringRef::Indexed(2)));
  MemorySource source(file.bytes());
  ReaderOptions options;
  options.max_table_bytes = kTableBytes;
  Reader reader(source, options);
  const auto texts = ReadTexts(reader);
  ASSERT_GE(texts.size(), 4u);
  EXPECT_EQ(texts[texts.size() - 4], "instant t=1 @1:7/8 'test' #1000'name 1000' {}");
  EXPECT_EQ(texts.back(), "instant t=2 1/2 'test' #2'second' {}");
  EXPECT_LE(reader.memory_bytes(), kTableBytes);
  EXPECT_GT(reader.diagnostics().count(DiagnosticKind::kTableLimit), 0u);
}

TEST(ReaderLimitsTest, LimitsTheTablesOfAProvider) {
  FileBuilder file;
  file.Add(ProviderInfo{1, "recorder"}).Add(ProviderInfo{2, "large"});
  const std::string text(32000, 'x');
  for (uint16_t index = 1; index <= 100; ++index) file.Add(StringRecord{index, text});
  file.Add(ProviderInfo{3, "small"}).Add(StringRecord{1, "name"});
  file.Add(TestInstant(1, StringRef::Indexed(1)));
  MemorySource source(file.bytes());
  ReaderOptions options;
  options.max_table_bytes = size_t{4} << 20;
  options.max_provider_table_bytes = size_t{1} << 20;
  Reader reader(source, options);
  const auto texts = ReadTexts(reader);
  EXPECT_EQ(texts.back(), "instant t=1 1/2 'test' #1'name' {}");
  EXPECT_GT(reader.diagnostics().count(DiagnosticKind::kTableLimit), 50u);
}

}  // namespace
}  // namespace fxt
