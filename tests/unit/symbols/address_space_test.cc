// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/address_space.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

namespace symbols {
namespace {

TEST(AddressSpaceTest, FindsWhatIsMapped) {
  AddressSpace space;
  space.Map(0x1000, 0x1000, 0x400, 7);
  EXPECT_EQ(space.Find(0xfff), nullptr);
  ASSERT_NE(space.Find(0x1fff), nullptr);
  EXPECT_EQ(space.Find(0x1fff)->module, 7u);
  EXPECT_EQ(space.Find(0x1fff)->file_offset, 0x400u);
  EXPECT_EQ(space.Find(0x2000), nullptr);
}

TEST(AddressSpaceTest, KeepsPartsOutsideOfANewMapping) {
  AddressSpace space;
  space.Map(0x1000, 0x3000, 0x0, 1);
  space.Map(0x2000, 0x1000, 0x8000, 2);
  EXPECT_EQ(space.Find(0x1800)->module, 1u);
  EXPECT_EQ(space.Find(0x2800)->module, 2u);
  EXPECT_EQ(space.Find(0x3800)->module, 1u);
  EXPECT_EQ(space.Find(0x3800)->file_offset, 0x2000u);
  EXPECT_EQ(space.Find(0x3800)->mapping_offset, 0x0u);
}

TEST(AddressSpaceTest, CutsSizesAtTheEnd) {
  AddressSpace space;
  space.Map(0xffffffff80000000, UINT64_MAX, 0, 1);
  EXPECT_NE(space.Find(0xfffffffffffffffe), nullptr);
  space.Map(0x10, 0, 0, 2);
  EXPECT_EQ(space.Find(0x10), nullptr);
}

// Against a model that knows each address by itself.
TEST(AddressSpaceTest, AgreesWithAMapOfEveryAddress) {
  std::mt19937 random(5);
  AddressSpace space;
  std::vector<std::optional<std::pair<uint32_t, uint64_t>>> model(256);
  for (uint32_t module = 1; module < 3000; ++module) {
    const uint64_t start = random() % 256;
    const uint64_t size = random() % (257 - start);
    const uint64_t offset = random() % 1000;
    space.Map(start, size, offset, module);
    for (uint64_t i = 0; i < size; ++i) model[start + i] = {module, offset + i};
    for (uint64_t address = 0; address < 256; ++address) {
      const MappedRange* range = space.Find(address);
      ASSERT_EQ(range != nullptr, model[address].has_value());
      if (range == nullptr) continue;
      ASSERT_EQ(range->module, model[address]->first);
      ASSERT_EQ(range->file_offset + (address - range->start), model[address]->second);
    }
  }
}

}  // namespace
}  // namespace symbols
