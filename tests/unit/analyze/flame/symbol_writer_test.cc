// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/flame/symbol_writer.h"

#include <gtest/gtest.h>

#include <set>

#include "analyze/flame/flame_stacks.h"
#include "schema/names.h"
#include "sink/memory_sink.h"
#include "unit/analyze/flame/stack_trace.h"
#include "unit/perf/fake_root.h"

namespace analyze {
namespace {

using testing::StackTrace;

const std::vector<uint64_t> kNamedStack = {0x1004, 0x1018};

// The output for `words`, with the files of `root`.
FoldedStacks Fold(std::span<const std::byte> bytes, const std::string& root) {
  LbrSymbolOptions options;
  options.files.root = root;
  FlameBuilder builder(FlameKind::kOn, options);
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) builder.Add(reader);
  return builder.Finish();
}

struct Written {
  std::vector<std::byte> bytes;
  uint64_t functions = 0;
  uint64_t left_out = 0;
};

Written Write(StackTrace& trace, const std::string& root, bool naming = true) {
  LbrSymbolOptions options;
  options.files.root = root;
  sink::MemorySink sink;
  SymbolWriter writer(sink, options);
  if (!naming) writer.StopNaming();
  trace.Read([&](const fxt::Reader& reader) { writer.Add(reader); });
  EXPECT_TRUE(writer.Finish());
  return {{sink.bytes().begin(), sink.bytes().end()}, writer.functions(), writer.left_out()};
}

class SymbolWriterTest : public ::testing::Test {
 protected:
  SymbolWriterTest() : trace_(schema::kRecorderName) {
    root_.File("/tmp/perf-100.map", "1000 10 inner\n1010 10 _ZN3foo3barEv\n");
    trace_.Define(kNamedStack).Stack("on", 100, kNamedStack).Stack("on", 101, kNamedStack);
  }
  perf::testing::FakeRoot root_;
  StackTrace trace_;
};

TEST_F(SymbolWriterTest, WritesNamesForOtherMachines) {
  const std::vector<uint64_t> words = trace_.words();
  const FoldedStacks here = Fold(std::as_bytes(std::span(words)), root_.path());
  EXPECT_TRUE(here.contains({"app", "app", "foo::bar()", "inner"}));
  const Written written = Write(trace_, root_.path());
  EXPECT_EQ(written.functions, 2u);
  EXPECT_EQ(Fold(written.bytes, "/nowhere"), here);
  EXPECT_NE(Fold(std::as_bytes(std::span(words)), "/nowhere"), here);
}

TEST_F(SymbolWriterTest, StacksShowTheirFirstFrames) {
  const Written written = Write(trace_, root_.path());
  fxt::MemorySource source(written.bytes);
  fxt::Reader reader(source);
  uint64_t shown = 0;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event == nullptr || !StackOf(*event)) continue;
    ASSERT_EQ(event->arguments.size(), 2u);
    EXPECT_EQ(std::get<fxt::StringRef>(event->arguments[1].value).text, "inner <- foo::bar()");
    ++shown;
  }
  EXPECT_EQ(shown, 2u);
  EXPECT_FALSE(reader.truncated());
}

TEST_F(SymbolWriterTest, WithoutNamingItIsACopy) {
  const Written written = Write(trace_, root_.path(), false);
  const std::vector<uint64_t> words = trace_.words();
  const auto bytes = std::as_bytes(std::span(words));
  EXPECT_EQ(written.bytes, std::vector<std::byte>(bytes.begin(), bytes.end()));
  EXPECT_EQ(written.left_out, 2u);
}

}  // namespace
}  // namespace analyze
