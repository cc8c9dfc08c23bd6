// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/demangle.h"

#include <gtest/gtest.h>

namespace symbols {
namespace {

TEST(DemangleTest, DemanglesCpp) {
  EXPECT_EQ(Demangle("_ZNSt6vectorIiSaIiEE9push_backEOi"),
            "std::vector<int, std::allocator<int> >::push_back(int&&)");
}

TEST(DemangleTest, DropsTheHashOfRustNames) {
  EXPECT_EQ(Demangle("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
}

TEST(DemangleTest, DemanglesRustsNewerNames) {
  EXPECT_EQ(Demangle("_RNvCs1234_7mycrate3foo"), "mycrate::foo");
  EXPECT_EQ(Demangle("_RINvNtC3std3mem8align_ofjdE"), "std::mem::align_of::<usize, f64>");
  EXPECT_EQ(Demangle("_RNv"), "_RNv");
  EXPECT_EQ(Demangle("_Rnonsense"), "_Rnonsense");
}

// Each tuple has the one before it twice: what that stands for, no machine can write down.
TEST(DemangleTest, GivesUpOnExponentialNames) {
  std::string name = "_RINvC1a1bT";
  size_t last = name.size() - 2 - 1;
  name += "hhE";
  constexpr const char* kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const auto reference = [&](size_t at) {
    if (at == 0) return std::string("B_");
    std::string text;
    for (size_t left = at - 1;; left /= 62) {
      text.insert(text.begin(), kDigits[left % 62]);
      if (left < 62) break;
    }
    return "B" + text + "_";
  };
  for (int i = 0; i < 60; ++i) {
    const size_t here = name.size() - 2;
    name += "T" + reference(last) + reference(last) + "E";
    last = here;
  }
  name += "E";
  EXPECT_EQ(Demangle(name), name);
}

TEST(DemangleTest, KeepsTheMarksOfClones) {
  EXPECT_EQ(Demangle("_Z3foov.cold"), "foo() [clone .cold]");
  EXPECT_EQ(Demangle("_Z3foov.llvm.123"), "foo() [clone .llvm.123]");
}

TEST(DemangleTest, LeavesOtherNamesAlone) {
  EXPECT_EQ(Demangle("main"), "main");
  EXPECT_EQ(Demangle(""), "");
  EXPECT_EQ(Demangle("_Z"), "_Z");
  EXPECT_EQ(Demangle("_Znonsense"), "_Znonsense");
  const std::string endless = "_Z" + std::string(10000, 'P');
  EXPECT_EQ(Demangle(endless), endless);
}

}  // namespace
}  // namespace symbols
