// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/thread_variable.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>

#if defined(__x86_64__) && defined(__GLIBC__)
extern "C" void* __tls_get_addr(void*);  // NOLINT: glibc's
#endif

namespace symbols {
namespace {

TEST(ThreadVariableTest, AFileWithoutItHasNone) {
  const auto self = ElfFile::Open("/proc/self/exe");
  ASSERT_TRUE(self.ok());
  EXPECT_TRUE(FindThreadVariable(*self, "otel_thread_ctx_v1").empty());
}

#if defined(__x86_64__) && defined(__GLIBC__)

struct Loaded {
  std::string path;
  uintptr_t base = 0;  // where byte 0 of the file would be mapped with the code
};

// The library of this process that has a function at `address`.
Loaded LibraryOf(const void* address) {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return {};
  return {info.dli_fname, map->l_addr};
}

// The address of the variable in this thread, by the dynamic linker's slot.
uintptr_t AddressOf(const ThreadVariable& variable, uintptr_t base) {
  uintptr_t words[2] = {};
  std::memcpy(words, reinterpret_cast<const void*>(base + variable.slot), sizeof(words));
  const auto pointer = reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
  switch (variable.model) {
    case ThreadVariable::Model::kOffsetInSlot:
      return pointer + words[0] + static_cast<uintptr_t>(variable.add);
    case ThreadVariable::Model::kIndex:
      return reinterpret_cast<uintptr_t>(__tls_get_addr(words)) +
             static_cast<uintptr_t>(variable.add);
    default:
      return 0;
  }
}

TEST(ThreadVariableTest, TheSlotLeadsToTheVariable) {
  // The C library's own variable, and one of the library of C++.
  const struct {
    const void* function;
    const char* name;
  } cases[] = {{reinterpret_cast<const void*>(&strerror_r), "errno"},
               {reinterpret_cast<const void*>(&std::__throw_system_error), "_ZSt11__once_call"}};
  for (const auto& each : cases) {
    const Loaded library = LibraryOf(each.function);
    const auto file = ElfFile::Open(library.path);
    ASSERT_TRUE(file.ok()) << library.path;
    const ThreadVariable variable = FindThreadVariable(*file, each.name);
    if (variable.empty())
      GTEST_SKIP() << "SKIPPED: " << library.path << " does not export " << each.name;
    // Both files have their segments where their addresses say.
    const auto code = std::ranges::find_if(file->segments(), &LoadSegment::executable);
    const uintptr_t base = library.base - (code->file_offset - code->address);
    const uintptr_t expected = each.name == std::string_view("errno")
                                   ? reinterpret_cast<uintptr_t>(&errno)
                                   : reinterpret_cast<uintptr_t>(&std::__once_call);
    EXPECT_EQ(AddressOf(variable, base), expected) << each.name;
  }
}

TEST(ThreadVariableTest, FunctionsAndOtherVariablesAreNone) {
  const auto file = ElfFile::Open(LibraryOf(reinterpret_cast<const void*>(&strerror_r)).path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(FindThreadVariable(*file, "strerror_r").empty());
  EXPECT_TRUE(FindThreadVariable(*file, "environ").empty());
  EXPECT_TRUE(FindThreadVariable(*file, "errn").empty());
}

#endif

}  // namespace
}  // namespace symbols
