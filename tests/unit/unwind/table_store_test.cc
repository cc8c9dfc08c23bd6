// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/table_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "symbols/elf_file.h"

namespace unwind {
namespace {

constexpr uint64_t kLater = ExtentAllocator::kGrace;

TEST(ExtentAllocator, FreedExtentsAreUsedAfterTheirGracePeriod) {
  ExtentAllocator allocator(0, 100);
  const auto all = allocator.Allocate(100, 0);
  ASSERT_TRUE(all);
  EXPECT_FALSE(allocator.Allocate(1, 0));
  allocator.Free(*all, 0);
  EXPECT_EQ(allocator.waiting(), 100u);
  EXPECT_FALSE(allocator.Allocate(1, kLater - 1));
  EXPECT_TRUE(allocator.Allocate(100, kLater));
  EXPECT_EQ(allocator.waiting(), 0u);
}

TEST(ExtentAllocator, NeighboursBecomeOne) {
  ExtentAllocator allocator(10, 30);
  std::array<std::optional<Extent>, 3> parts;
  for (auto& part : parts) {
    part = allocator.Allocate(10, 0);
    ASSERT_TRUE(part);
  }
  EXPECT_EQ(parts[0]->first, 10u);
  for (const int i : {0, 2, 1}) allocator.Free(*parts[i], 0);
  EXPECT_TRUE(allocator.Allocate(30, kLater));
}

class Store : public testing::Test {
 protected:
  void SetUp() override {
    const auto libc = symbols::ElfFile::Open("/lib/x86_64-linux-gnu/libc.so.6");
    if (!libc) GTEST_SKIP() << "no libc";
    table_ = UnwindTable::Read(*libc);
    if (table_.empty()) GTEST_SKIP() << "no table";
  }

  // Room for `tables` of the table.
  TableStore Make(size_t tables) {
    words_.resize((table_.words().size() + FXR_UNWIND_RULE_WORDS) * tables);
    return TableStore({.words = words_, .modules = modules_, .ranges = ranges_});
  }

  UnwindTable table_;
  std::vector<fxr_u32> words_;
  std::array<fxr_unwind_module, 8> modules_{};
  std::array<fxr_unwind_range, 8> ranges_{};
};

TEST_F(Store, ALoadedTableIsInTheMemory) {
  TableStore store = Make(1);
  const auto module = store.AddModule();
  ASSERT_TRUE(module);
  EXPECT_NE(*module, 0u);
  EXPECT_FALSE(store.IsLoaded(*module));
  ASSERT_TRUE(store.Load(*module, table_, 1, 0));
  EXPECT_TRUE(store.IsLoaded(*module));
  const fxr_unwind_module& entry = modules_[*module];
  EXPECT_EQ(entry.pages, table_.pages());
  EXPECT_TRUE(std::ranges::equal(table_.words(),
                                 std::span(words_).subspan(entry.index, table_.words().size())));
  EXPECT_EQ(entry.rules % FXR_UNWIND_RULE_WORDS, 0u);
  EXPECT_EQ(store.loaded(), 1u);
}

TEST_F(Store, TheLeastUsedTableGoes) {
  TableStore store = Make(2);
  std::array<uint32_t, 3> modules{};
  for (uint32_t& module : modules) module = *store.AddModule();
  ASSERT_TRUE(store.Load(modules[0], table_, 10, 0));
  ASSERT_TRUE(store.Load(modules[1], table_, 10, 0));
  modules_[modules[0]].used = 5;
  modules_[modules[1]].used = 4;
  // Its memory becomes free later.
  EXPECT_FALSE(store.Load(modules[2], table_, 10, 0));
  EXPECT_TRUE(store.IsLoaded(modules[0]));
  EXPECT_FALSE(store.IsLoaded(modules[1]));
  EXPECT_EQ(store.unloaded(), 1u);
  EXPECT_TRUE(store.Load(modules[2], table_, 10, kLater));
}

TEST_F(Store, UsedTablesStay) {
  TableStore store = Make(1);
  const uint32_t first = *store.AddModule();
  const uint32_t second = *store.AddModule();
  ASSERT_TRUE(store.Load(first, table_, 10, 0));
  modules_[first].used = 10;
  EXPECT_FALSE(store.Load(second, table_, 10, 0));
  EXPECT_TRUE(store.IsLoaded(first));
}

TEST_F(Store, NumbersAndRangesAreLimited) {
  TableStore store = Make(1);
  for (size_t i = 1; i < modules_.size(); ++i) EXPECT_TRUE(store.AddModule());
  EXPECT_FALSE(store.AddModule());
  store.RemoveModule(3, 0);
  EXPECT_EQ(store.AddModule(), std::optional<uint32_t>(3));

  const std::array<fxr_unwind_range, 5> ranges{};
  const auto extent = store.AddRanges(ranges, 0);
  ASSERT_TRUE(extent);
  EXPECT_FALSE(store.AddRanges(ranges, 0));
  store.RemoveRanges(*extent, 0);
  EXPECT_TRUE(store.AddRanges(ranges, kLater));
}

}  // namespace
}  // namespace unwind
