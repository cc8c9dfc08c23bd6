// SPDX-License-Identifier: BSD-2-Clause
// Several scans of one statement stay within the memory that they share.
#include "tables/scan.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "unit/fxt/support/file_builder.h"

namespace tables {
namespace {

constexpr int kThreads = 10'000;

void AddThreads(fxt::testing::FileBuilder& file) {
  for (int i = 1; i <= kThreads; ++i) {
    const std::string name = "thread " + std::to_string(i);
    file.Add(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                               static_cast<fxt::Koid>(i),
                               fxt::StringRef::Inline(name),
                               {}});
  }
}

size_t CountRows(Scan& scan) {
  scan.Want(Table::kThreads, kAllColumns);
  size_t rows = 0;
  while (scan.Advance()) rows += scan.rows(Table::kThreads)->size();
  return rows;
}

TEST(ScanTest, ScansShareABudget) {
  fxt::testing::FileBuilder file;
  AddThreads(file);
  fxt::TableBudget shared{.limit = size_t{4} << 20};
  const auto scan_of = [&](fxt::MemorySource& source, TextPool& texts) {
    return std::make_unique<Scan>("trace.fxt", source, texts, &shared);
  };
  fxt::MemorySource source(file.bytes());
  TextPool texts(TextPool::kMaxBytes, &shared);
  auto first = scan_of(source, texts);
  EXPECT_EQ(CountRows(*first), size_t{kThreads});
  EXPECT_FALSE(first->is_incomplete());

  fxt::MemorySource source_again(file.bytes());
  auto second = scan_of(source_again, texts);
  EXPECT_LT(CountRows(*second), size_t{kThreads});
  EXPECT_TRUE(second->is_incomplete());
  EXPECT_LE(shared.used, shared.limit);

  // What has ended makes room.
  first.reset();
  second.reset();
  fxt::MemorySource source_last(file.bytes());
  auto last = scan_of(source_last, texts);
  EXPECT_EQ(CountRows(*last), size_t{kThreads});
  EXPECT_FALSE(last->is_incomplete());
}

TEST(ScanTest, ReadersCountInTheBudget) {
  fxt::testing::FileBuilder file;
  const std::string text(32'000, 'x');
  for (uint16_t i = 1; i <= 200; ++i) file.Add(fxt::StringRecord{i, text});
  fxt::TableBudget shared{.limit = size_t{4} << 20};
  {
    fxt::MemorySource source(file.bytes());
    TextPool texts;
    Scan scan("trace.fxt", source, texts, &shared);
    CountRows(scan);
    EXPECT_GT(shared.used, size_t{3} << 20);
    EXPECT_LE(shared.used, shared.limit);
    EXPECT_GT(scan.reader().diagnostics().count(fxt::DiagnosticKind::kTableLimit), 0u);
  }
  EXPECT_EQ(shared.used, 0u);
}

}  // namespace
}  // namespace tables
