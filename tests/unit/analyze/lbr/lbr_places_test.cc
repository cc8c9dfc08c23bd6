// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_places.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "schema/koid.h"
#include "support/temp_folder.h"
#include "unit/support/branchy_code.h"

namespace analyze {
namespace {

using symbols::BranchKind;

LbrSymbolOptions WithoutSymbols() {
  LbrSymbolOptions options;
  options.enabled = false;
  return options;
}

constexpr uint64_t kKernelText = 0xffffffff9a000000;

TEST(LbrPlacesTest, TurnsAddressesIntoPlacesInFiles) {
  LbrPlaces places(WithoutSymbols());
  places.OnModule({.process = 20, .number = 3, .file = "/bin/server", .build_id = {}});
  places.OnModule({.process = 30, .number = 3, .file = "/bin/server", .build_id = {}});
  places.OnMapping(
      {.process = 20, .module = 3, .start = 0x400000, .size = 0x2000, .file_offset = 0x1000});
  places.OnMapping(
      {.process = 30, .module = 3, .start = 0x700000, .size = 0x2000, .file_offset = 0x1000});
  const PlaceId place = places.Resolve(20, 0x400010);
  EXPECT_EQ(places.Text(place), "server+0x1010");
  EXPECT_EQ(places.place(place).offset, 0x1010u);
  EXPECT_EQ(places.module_name(places.place(place).module), "/bin/server");
  // The same place of the file in another process.
  EXPECT_EQ(places.Resolve(30, 0x700010), place);
  EXPECT_NE(places.Resolve(30, 0x700011), place);
  // Behind the mapping, before it, and in a process that has none.
  EXPECT_EQ(places.Text(places.Resolve(20, 0x402000)), "0x402000");
  EXPECT_EQ(places.Text(places.Resolve(20, 0x3fffff)), "0x3fffff");
  EXPECT_EQ(places.Text(places.Resolve(40, 0x400010)), "0x400010");
  EXPECT_TRUE(places.Problems().empty());
}

TEST(LbrPlacesTest, MapsTheKernelInEveryProcess) {
  LbrPlaces places(WithoutSymbols());
  places.OnModule({.process = 0, .number = 1, .file = "[kernel.kallsyms]_text", .build_id = {}});
  places.OnModule({.process = 0, .number = 2, .file = "/lib/modules/6.1/nf.ko", .build_id = {}});
  // For the kernel's own text the record has the address of the symbol in the offset's place.
  places.OnMapping({.process = 0,
                    .module = 1,
                    .start = kKernelText,
                    .size = 0x1000000,
                    .file_offset = kKernelText + 0x200});
  places.OnMapping(
      {.process = 0, .module = 2, .start = 0xffffffffc0000000, .size = 0x1000, .file_offset = 0});
  EXPECT_EQ(places.Text(places.Resolve(20, kKernelText + 0x1234)), "[kernel.kallsyms]_text+0x1034");
  EXPECT_EQ(places.Text(places.Resolve(30, kKernelText + 0x100)), "[kernel.kallsyms]_text-0x100");
  EXPECT_EQ(places.Text(places.Resolve(30, 0xffffffffc0000010)), "nf.ko+0x10");
  EXPECT_EQ(places.Resolve(0, kKernelText + 0x1234), places.Resolve(20, kKernelText + 0x1234));
}

TEST(LbrPlacesTest, DropsMappingsOfAnEarlierProcessWithThePid) {
  LbrPlaces places(WithoutSymbols());
  places.OnModule({.process = 20, .number = 0, .file = "/bin/a", .build_id = {}});
  places.OnMapping(
      {.process = 20, .module = 0, .start = 0x400000, .size = 0x1000, .file_offset = 0});
  EXPECT_EQ(places.Text(places.Resolve(20, 0x400000)), "a+0x0");
  const fxt::Koid later = schema::MakeKoid(20, 1);
  places.OnModule({.process = later, .number = 0, .file = "/bin/b", .build_id = {}});
  places.OnMapping(
      {.process = later, .module = 0, .start = 0x500000, .size = 0x1000, .file_offset = 0});
  EXPECT_EQ(places.Text(places.Resolve(20, 0x400000)), "0x400000");
  EXPECT_EQ(places.Text(places.Resolve(20, 0x500000)), "b+0x0");
}

TEST(LbrPlacesTest, IgnoresEmptyMappings) {
  LbrPlaces places(WithoutSymbols());
  // A module that was never declared, and a track of the recorder's own.
  places.OnMapping(
      {.process = 20, .module = 9, .start = 0x400000, .size = 0x1000, .file_offset = 0});
  places.OnModule(
      {.process = schema::kRecorderProcessKoid, .number = 1, .file = "/x", .build_id = {}});
  places.OnMapping({.process = schema::kRecorderProcessKoid,
                    .module = 1,
                    .start = 0x400000,
                    .size = 0x1000,
                    .file_offset = 0});
  EXPECT_EQ(places.Text(places.Resolve(20, 0x400000)), "0x400000");
  EXPECT_EQ(places.Text(places.Resolve(3, 0x400000)), "0x400000");
}

TEST(LbrPlacesTest, NamesFunctionsAndClassifiesBranches) {
  const testing_support::BranchyCode code = testing_support::FindBranchyCode();
  if (code.map_size == 0) GTEST_SKIP() << "no x86-64";
  LbrPlaces places(LbrSymbolOptions{});
  places.OnModule({.process = 20, .number = 0, .file = code.file, .build_id = {}});
  constexpr uint64_t kStart = 0x10000000;
  places.OnMapping({.process = 20,
                    .module = 0,
                    .start = kStart,
                    .size = code.map_size,
                    .file_offset = code.map_offset});
  const auto at = [&](uint64_t file_offset) {
    return places.Resolve(20, kStart + file_offset - code.map_offset);
  };
  const std::string program = std::filesystem::path(code.file).filename();
  EXPECT_EQ(places.Text(at(code.caller)), "lbr_test_caller [" + program + "]");
  EXPECT_EQ(places.Text(at(code.caller + 5)), "lbr_test_caller+0x5 [" + program + "]");
  const Place& place = places.place(at(code.callee + 2));
  EXPECT_EQ(places.function_name(place.function), "lbr_test_callee");
  EXPECT_EQ(places.FunctionText(place.function), "lbr_test_callee [" + program + "]");
  EXPECT_EQ(place.function_offset, 2u);
  EXPECT_EQ(places.KindOf(at(code.caller)), BranchKind::kCall);
  EXPECT_EQ(places.KindOf(at(code.caller + 5)), BranchKind::kReturn);
  EXPECT_EQ(places.KindOf(at(code.callee)), BranchKind::kConditional);
  EXPECT_EQ(places.KindOf(at(code.callee + 2)), BranchKind::kJump);
  EXPECT_EQ(places.KindOf(places.Resolve(20, 1)), BranchKind::kUnknown);
  EXPECT_TRUE(places.Problems().empty());
}

TEST(LbrPlacesTest, ReportsMissingFiles) {
  LbrPlaces places(LbrSymbolOptions{});
  places.OnModule({.process = 20, .number = 0, .file = "/nonexistent/prog", .build_id = {}});
  places.OnMapping(
      {.process = 20, .module = 0, .start = 0x400000, .size = 0x1000, .file_offset = 0});
  EXPECT_EQ(places.Text(places.Resolve(20, 0x400010)), "prog+0x10");
  ASSERT_EQ(places.Problems().size(), 1u);
  EXPECT_TRUE(places.Problems()[0].starts_with("prog: /nonexistent/prog:")) << places.Problems()[0];
}

TEST(LbrPlacesTest, ReportsWhyTheKernelHasNoNames) {
  LbrPlaces places(LbrSymbolOptions{});
  places.OnModule({.process = 0, .number = 1, .file = "[kernel.kallsyms]_text", .build_id = {}});
  places.OnMapping({.process = 0,
                    .module = 1,
                    .start = kKernelText,
                    .size = 0x1000000,
                    .file_offset = kKernelText});
  // No address was resolved yet.
  EXPECT_TRUE(places.Problems().empty());
  EXPECT_EQ(places.Text(places.Resolve(20, kKernelText + 0x110)), "[kernel.kallsyms]_text+0x110");
  ASSERT_EQ(places.Problems().size(), 1u);
  EXPECT_EQ(places.Problems()[0],
            "kernel: the trace does not say which build it is; see --kallsyms");
}

TEST(LbrPlacesTest, TakesNoNamesFromAnotherKernel) {
  LbrPlaces places(LbrSymbolOptions{});
  const std::array<std::byte, 20> id = {std::byte{1}};
  places.OnModule({.process = 0, .number = 1, .file = "[kernel.kallsyms]_text", .build_id = id});
  places.OnMapping({.process = 0,
                    .module = 1,
                    .start = kKernelText,
                    .size = 0x1000000,
                    .file_offset = kKernelText});
  EXPECT_EQ(places.Text(places.Resolve(20, kKernelText + 0x110)), "[kernel.kallsyms]_text+0x110");
  ASSERT_EQ(places.Problems().size(), 1u);
  EXPECT_NE(places.Problems()[0].find("another one than the one running"), std::string::npos);
}

TEST(LbrPlacesTest, NamesTheRunningKernelsFunctions) {
  const util::BuildId id = symbols::RunningKernelBuildId();
  const auto text = symbols::FindKernelText();
  if (id.empty() || !text) GTEST_SKIP() << "no build id in /sys/kernel/notes, or hidden kallsyms";
  LbrPlaces places(LbrSymbolOptions{});
  places.OnModule(
      {.process = 0, .number = 1, .file = "[kernel.kallsyms]_text", .build_id = id.view()});
  places.OnMapping({.process = 0,
                    .module = 1,
                    .start = text->start,
                    .size = text->size,
                    .file_offset = text->start});
  const auto kallsyms = symbols::ReadKallsyms("/proc/kallsyms");
  ASSERT_TRUE(kallsyms.ok());
  // Any bytes in the middle of the text.
  const uint64_t address = text->start + text->size / 2;
  const symbols::Symbol* symbol = kallsyms->functions.Find(address);
  if (symbol == nullptr) GTEST_SKIP() << "no function in the middle of the kernel's text";
  const Place& place = places.place(places.Resolve(20, address));
  ASSERT_NE(place.function, UINT32_MAX);
  EXPECT_EQ(places.function_name(place.function), symbol->name);
  EXPECT_TRUE(places.Problems().empty());
}

TEST(LbrPlacesTest, NamesTheKernelsFunctionsFromAMovedList) {
  const testing_support::TempFolder folder;
  const std::string path = folder / "kallsyms";
  // The list is of another start of the same kernel.
  std::ofstream(path) << "ffffffff81000000 T _text\n"
                         "ffffffff81000100 t do_one\n"
                         "ffffffff81000200 T do_two\n";
  LbrSymbolOptions options;
  options.kallsyms = path;
  LbrPlaces places(options);
  places.OnModule({.process = 0, .number = 1, .file = "[kernel.kallsyms]_text", .build_id = {}});
  places.OnMapping({.process = 0,
                    .module = 1,
                    .start = kKernelText,
                    .size = 0x1000000,
                    .file_offset = kKernelText});
  EXPECT_EQ(places.Text(places.Resolve(20, kKernelText + 0x110)), "do_one+0x10 [kernel]");
  EXPECT_EQ(places.Text(places.Resolve(20, kKernelText + 0x200)), "do_two [kernel]");
}

}  // namespace
}  // namespace analyze
