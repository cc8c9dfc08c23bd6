// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/frame_names.h"

#include <gtest/gtest.h>

#include "unit/perf/fake_root.h"

namespace analyze {
namespace {

TEST(FrameNamesTest, EscapesSeparators) {
  EXPECT_EQ(FoldedPart("operator;(int)"), "operator:(int)");
  EXPECT_EQ(FoldedPart("a\nb").find('\n'), std::string::npos);
}

TEST(FrameNamesTest, CompiledCodeIsNamedByItsProcess) {
  perf::testing::FakeRoot root;
  root.File("/tmp/perf-100.map", "1000 10 first\n1010 10 _ZN3foo3barEv\n");
  LbrSymbolOptions options;
  options.files.root = root.path();
  FrameNames names(options);
  EXPECT_EQ(names.NameOf(100, 0x1004, false), "first");
  EXPECT_EQ(names.NameOf(100, 0x1010, false), "foo::bar()");
  // A return address at the end of a function belongs to a call within it.
  EXPECT_EQ(names.NameOf(100, 0x1010, true), "first");
  EXPECT_EQ(names.NameOf(100, 0x1020, false), "[unknown]");
  EXPECT_EQ(names.NameOf(101, 0x1004, false), "[unknown]");
}

TEST(FrameNamesTest, FallsBackToTheFile) {
  FrameNames names({.enabled = false, .files = {}, .kallsyms = {}, .lines = false});
  names.places().OnModule({100, 1, "/usr/lib/libc.so.6", {}});
  names.places().OnMapping({100, 1, 0x10000, 0x1000, 0});
  EXPECT_EQ(names.NameOf(100, 0x10010, false), "[libc.so.6]");
  EXPECT_EQ(names.NameOf(100, 0, true), "[unknown]");
  EXPECT_EQ(names.NameOf(100, 0xffffffff81000000, false), "[kernel]_[k]");
}

}  // namespace
}  // namespace analyze
