// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/kernel_symbols.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace capture {
namespace {

KernelSymbols Answering(uint64_t address, const char* text) {
  return KernelSymbols([=](fxr_symbol_query& query) {
    query.address = address;
    strncpy(query.text, text, sizeof(query.text));
    return true;
  });
}

TEST(KernelSymbolsTest, ReadsTheTextOfTheKernel) {
  const auto symbol = Answering(0xffffffff81002020, "do_syscall_64+0x10/0x5a0").At(1);
  ASSERT_TRUE(symbol);
  EXPECT_EQ(symbol->name, "do_syscall_64");
  EXPECT_EQ(symbol->start, 0xffffffff81002010u);
  EXPECT_EQ(symbol->size, 0x5a0u);
  EXPECT_EQ(Answering(0xffffffffc0001000, "ext4_read.part.0+0x0/0x20 [ext4]").At(1)->name,
            "ext4_read.part.0");
}

TEST(KernelSymbolsTest, ANumberIsNoSymbol) {
  for (const char* text : {"", "0xffffffffc0001000", "+0x1/0x2", "name+0x1", "name+0x1/",
                           "name+0x/0x1", "name+0x1/0x2x", "name+0xfffffffffffffff0/0x2"}) {
    EXPECT_FALSE(Answering(0x1000, text).At(1)) << text;
  }
}

TEST(KernelSymbolsTest, ANameWithoutASizeHasAnAddress) {
  const auto end = Answering(0xffffffff8220bb08, "0xffffffff8220bb08").Named("_etext");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->start, 0xffffffff8220bb08u);
  EXPECT_EQ(end->size, 0u);
  EXPECT_FALSE(Answering(0, "").Named("_etext"));
  EXPECT_FALSE(Answering(1, "a+0x0/0x1").Named(std::string(FXR_SYMBOL_BYTES, 'a')));
}

TEST(KernelSymbolsTest, FindsNothingWithoutAProgram) {
  EXPECT_FALSE(KernelSymbols().available());
  EXPECT_FALSE(KernelSymbols().At(1));
  EXPECT_FALSE(KernelSymbols().Named("a"));
  const KernelSymbols failing([](fxr_symbol_query&) { return false; });
  EXPECT_FALSE(failing.At(1));
  EXPECT_FALSE(failing.Named("a"));
}

}  // namespace
}  // namespace capture
