// SPDX-License-Identifier: BSD-2-Clause
// The test program reads itself: the dynamic linker and /proc know the truth.
#include "symbols/elf_file.h"

#include <elf.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <link.h>
#include <stdlib.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/temp_folder.h"
#include "symbols/build_id_note.h"
#include "symbols/demangle.h"
#include "symbols/module_symbols.h"

namespace symbols {

// Not inlined, so that it is a function with a name.
__attribute__((noinline)) int FunctionThatIsLookedUp(int x) {
  asm volatile("");
  return x + 1;
}

namespace {

namespace fs = std::filesystem;

// The build id in this process's memory.
util::BuildId OwnBuildId() {
  util::BuildId id;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE) continue;
          // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader says it in a number
          const auto* notes = reinterpret_cast<const std::byte*>(info->dlpi_addr + segment.p_vaddr);
          auto* found = static_cast<util::BuildId*>(out);
          if (found->empty()) *found = FindBuildId({notes, segment.p_memsz});
        }
        return 1;  // the first object is the program
      },
      &id);
  return id;
}

struct MappedPlace {
  uint64_t file_offset = 0;
  uint64_t mapping_offset = 0;
};

// The file offset of the byte at `address`, by /proc/self/maps.
MappedPlace PlaceOf(uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long start, end, offset;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
        address >= start && address < end) {
      return {address - start + offset, offset};
    }
  }
  return {};
}

MappedPlace PlaceOfFunction() {
  return PlaceOf(reinterpret_cast<uint64_t>(&FunctionThatIsLookedUp));
}

void ExpectFindsFunction(const ModuleSymbols& module) {
  const MappedPlace place = PlaceOfFunction();
  for (const uint64_t offset : {0, 1}) {
    const auto found = module.Find(place.file_offset + offset, place.mapping_offset);
    ASSERT_TRUE(found.has_value()) << module.problem();
    EXPECT_EQ(Demangle(found->symbol->name), "symbols::FunctionThatIsLookedUp(int)");
    EXPECT_EQ(found->offset, offset);
  }
}

TEST(ElfFileTest, ReadsThisProgram) {
  auto file = ElfFile::Open("/proc/self/exe");
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->segments().empty());
  EXPECT_EQ(file->build_id(), OwnBuildId());
  SymbolTable table;
  EXPECT_TRUE(file->ReadFunctions(&table));
  table.Finish();
  const MappedPlace place = PlaceOfFunction();
  const auto address = file->AddressOf(place.file_offset);
  ASSERT_TRUE(address.has_value());
  ASSERT_NE(table.Find(*address), nullptr);
  EXPECT_EQ(Demangle(table.Find(*address)->name), "symbols::FunctionThatIsLookedUp(int)");
  const std::vector<std::byte> code = file->ReadBytes(place.file_offset, 8);
  ASSERT_EQ(code.size(), 8u);
  EXPECT_EQ(std::memcmp(code.data(), reinterpret_cast<const void*>(&FunctionThatIsLookedUp), 8), 0);
}

TEST(ElfFileTest, RefusesOtherFiles) {
  EXPECT_FALSE(ElfFile::Open("/nonexistent").ok());
  EXPECT_FALSE(ElfFile::Open("/proc/self/maps").ok());
  EXPECT_FALSE(ElfFile::Open("/").ok());
  // Devices are not even opened: a recording may name any.
  const auto device = ElfFile::Open("/dev/zero");
  ASSERT_FALSE(device.ok());
  EXPECT_NE(device.error().message.find("not a regular file"), std::string::npos);
}

TEST(BuildIdNoteTest, SurvivesNonsense) {
  uint32_t words[] = {4, 20, 3, 0x00554e47, 1, 2, 3, 4, 5};
  const auto bytes = std::as_bytes(std::span(words));
  EXPECT_EQ(FindBuildId(bytes).size, 20);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(FindBuildId(bytes.first(size)).empty());
  }
  for (uint32_t& word : words) {
    const uint32_t before = word;
    for (const uint32_t value : {0u, 0xfffffffcu, 0xffffffffu}) {
      word = value;
      FindBuildId(bytes);
    }
    word = before;
  }
}

class ModuleSymbolsTest : public ::testing::Test {
 protected:
  bool Shell(const std::string& command) { return std::system(command.c_str()) == 0; }

  const testing_support::TempFolder folder_;
};

TEST_F(ModuleSymbolsTest, FindsFunctionsInTheExecutable) {
  const ModuleSymbols module = ModuleSymbols::Load("/proc/self/exe", OwnBuildId(), {});
  EXPECT_TRUE(module.has_executable());
  EXPECT_EQ(module.problem(), "");
  ExpectFindsFunction(module);
  EXPECT_FALSE(module.Find(uint64_t{1} << 60, 0).has_value());
  EXPECT_EQ(module.ReadCode(PlaceOfFunction().file_offset, 4).size(), 4u);
}

TEST_F(ModuleSymbolsTest, RefusesAnotherBuild) {
  util::BuildId other = OwnBuildId();
  if (other.empty()) GTEST_SKIP() << "the test program was linked without a build id";
  other.bytes[0] ^= std::byte{1};
  const ModuleSymbols module = ModuleSymbols::Load("/proc/self/exe", other, {});
  EXPECT_FALSE(module.has_executable());
  EXPECT_NE(module.problem().find("build id"), std::string::npos);
}

TEST_F(ModuleSymbolsTest, FindsFunctionsInMiniDebugInfo) {
  const std::string own = fs::read_symlink("/proc/self/exe");
  const std::string part = folder_ / "part";
  const std::string stripped = folder_ / "stripped";
  if (!Shell(fmt::format("objcopy --only-keep-debug {0} {1} && objcopy -S --keep-symbol="
                         "_ZN7symbols22FunctionThatIsLookedUpEi {1} && xz -f {1} && "
                         "strip -o {2} {0} && objcopy --add-section .gnu_debugdata={1}.xz {2}",
                         own, part, stripped))) {
    GTEST_SKIP() << "no objcopy, strip and xz on this machine";
  }
  ExpectFindsFunction(ModuleSymbols::Load(stripped, OwnBuildId(), {}));
}

TEST_F(ModuleSymbolsTest, FindsSeparateDebugFiles) {
  const std::string hex = OwnBuildId().ToHex();
  if (hex.empty()) GTEST_SKIP() << "the test program was linked without a build id";
  const std::string own = fs::read_symlink("/proc/self/exe");
  const fs::path debug_folder = folder_.path() / "debug/.build-id" / hex.substr(0, 2);
  fs::create_directories(debug_folder);
  const std::string debug_file = debug_folder / (hex.substr(2) + ".debug");
  const std::string stripped = folder_ / "stripped";
  if (!Shell(fmt::format("objcopy --only-keep-debug {} {}", own, debug_file)) ||
      !Shell(fmt::format("strip -o {} {}", stripped, own))) {
    GTEST_SKIP() << "no objcopy and strip on this machine";
  }
  DebugFileOptions options;
  options.debug_folders = {folder_ / "debug"};
  ExpectFindsFunction(ModuleSymbols::Load(stripped, OwnBuildId(), options));
  // A debug file alone, for an executable that is not on this machine.
  const ModuleSymbols alone = ModuleSymbols::Load("/nonexistent", OwnBuildId(), options);
  EXPECT_FALSE(alone.has_executable());
  ExpectFindsFunction(alone);
  // Without either, the dynamic symbols, which do not have it.
  options.debug_folders.clear();
  EXPECT_FALSE(ModuleSymbols::Load(stripped, OwnBuildId(), options)
                   .Find(PlaceOfFunction().file_offset, 0)
                   .has_value());
}

TEST_F(ModuleSymbolsTest, SurvivesDamagedFiles) {
  const std::string own = fs::read_symlink("/proc/self/exe");
  std::ifstream file(own, std::ios::binary);
  std::string head(65536, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  const std::string path = folder_ / "damaged";
  for (size_t i = 0; i < 64; ++i) {
    std::string damaged = head;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x81);
    std::ofstream(path, std::ios::binary) << damaged;
    ModuleSymbols::Load(path, {}, {}).Find(0x1000, 0);
  }
}

TEST(DebugFilesTest, KnowsWhereToLook) {
  util::BuildId id;
  id.size = 3;
  id.bytes = {std::byte{0xab}, std::byte{0xcd}, std::byte{0xef}};
  DebugFileOptions options;
  options.root = "/sysroot";
  options.debug_folders = {"/dbg"};
  options.perf_cache = "/cache";
  EXPECT_EQ(DebugFileCandidates("/usr/bin/a", id, "a.debug", options),
            (std::vector<std::string>{"/dbg/.build-id/ab/cdef.debug",
                                      "/cache/.build-id/ab/cdef/debug", "/sysroot/usr/bin/a.debug",
                                      "/sysroot/usr/bin/.debug/a.debug", "/dbg/usr/bin/a.debug"}));
  EXPECT_EQ(ExecutableCandidates("/usr/bin/a", id, options),
            (std::vector<std::string>{"/sysroot/usr/bin/a", "/cache/.build-id/ab/cdef/elf"}));
  EXPECT_TRUE(ExecutableCandidates("[vdso]", {}, options).empty());
  EXPECT_TRUE(ExecutableCandidates("//anon", {}, options).empty());
  // A link that leaves its folder is not followed.
  EXPECT_TRUE(DebugFileCandidates("/usr/bin/a", {}, "../../etc/passwd", options).empty());
}

}  // namespace
}  // namespace symbols
