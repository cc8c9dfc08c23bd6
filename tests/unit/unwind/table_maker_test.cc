// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/table_maker.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "symbols/elf_file.h"
#include "util/unique_fd.h"

namespace unwind {
namespace {

TEST(TableMakerTest, MakesTheTableThatThisProcessMakes) {
  auto maker = TableMaker::Start();
  ASSERT_TRUE(maker.ok());
  const util::UniqueFd self(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const auto elf = symbols::ElfFile::Open("/proc/self/exe");
  ASSERT_TRUE(elf.ok());
  const UnwindTable here = UnwindTable::Read(*elf);
  for (int i = 0; i < 2; ++i) {
    const auto there = (*maker)->Make(self.get());
    ASSERT_TRUE(there.has_value());
    EXPECT_EQ(there->file_offset(), here.file_offset());
    EXPECT_TRUE(std::ranges::equal(there->words(), here.words()));
  }
  EXPECT_EQ((*maker)->crashes(), 0u);
}

TEST(TableMakerTest, AFileThatIsNotElfHasNone) {
  auto maker = TableMaker::Start();
  ASSERT_TRUE(maker.ok());
  const util::UniqueFd file(memfd_create("text", MFD_CLOEXEC));
  constexpr std::string_view kText = "\177ELF and no more";
  ASSERT_EQ(write(file.get(), kText.data(), kText.size()), static_cast<ssize_t>(kText.size()));
  const auto table = (*maker)->Make(file.get());
  EXPECT_TRUE(!table || table->empty());
  EXPECT_FALSE((*maker)->Make(-1).has_value());
}

TEST(TableMakerTest, DecodesNothingBeyondTheLimits) {
  const auto elf = symbols::ElfFile::Open("/proc/self/exe");
  ASSERT_TRUE(elf.ok());
  auto bytes = EncodeTable(UnwindTable::Read(*elf));
  if (bytes.empty()) GTEST_SKIP() << "unwind tables are made for x86-64 alone";
  EXPECT_TRUE(DecodeTable(bytes).has_value());
  EXPECT_FALSE(DecodeTable(std::span(bytes).first(bytes.size() - 4)).has_value());
  EXPECT_FALSE(DecodeTable(std::span(bytes).first(3)).has_value());
  std::fill_n(bytes.begin(), 32, std::byte{0xff});
  EXPECT_FALSE(DecodeTable(bytes).has_value());
}

}  // namespace
}  // namespace unwind
