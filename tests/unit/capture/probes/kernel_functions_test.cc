// SPDX-License-Identifier: BSD-2-Clause
#include "capture/probes/kernel_functions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace capture {
namespace {

constexpr const char* kKallsyms =
    "ffffffff81000010 T vfs_read\n"
    "ffffffff81000020 t vfs_write\n"
    "ffffffff81000020 T vfs_write_alias\n"
    "ffffffff81000030 t vfs_helper.part.0\n"
    "ffffffff81000040 t changed.isra.0\n"
    "ffffffff8100003c t __pfx_vfs_read\n"
    "ffffffff81000050 D vfs_data\n"
    "ffffffff81000060 t twice\n"
    "ffffffff81000070 t twice\n"
    "ffffffffc0000000 t vfs_of_module\t[odd_fs]\n"
    "ffffffffc0001000 t vfs_of_bpf\t[bpf]\n"
    "broken line\n"
    "ffffffff81000080 T last";

std::vector<std::string> FindNames(const std::string& symbol, const char* kallsyms = kKallsyms) {
  const auto found = KernelFunctions(kallsyms).Find(symbol);
  if (!found) return {found.error().message, found.error().hint};
  std::vector<std::string> names;
  for (const KernelFunction& each : *found) {
    names.push_back(each.name + (each.module.empty() ? "" : " of " + each.module));
  }
  return names;
}

using Texts = std::vector<std::string>;

TEST(KernelFunctionsTest, FindsFunctionsByName) {
  EXPECT_EQ(FindNames("vfs_read"), Texts{"vfs_read"});
  EXPECT_EQ(FindNames("last"), Texts{"last"});
  EXPECT_EQ(FindNames("vfs_of_module"), Texts{"vfs_of_module of odd_fs"});
  EXPECT_EQ(FindNames("changed.isra.0"), Texts{"changed.isra.0"});
}

TEST(KernelFunctionsTest, ANameMatchesAllFunctionsWithVisibleAddresses) {
  EXPECT_EQ(FindNames("twice"), (Texts{"twice", "twice"}));
  EXPECT_EQ(FindNames("twice", "0000000000000000 t twice\n0000000000000000 t twice\n"),
            Texts{"twice"});
}

TEST(KernelFunctionsTest, PatternsMatchNoAliasesPartsAndData) {
  EXPECT_EQ(FindNames("vfs_*"), (Texts{"vfs_read", "vfs_write", "vfs_of_module of odd_fs"}));
  EXPECT_EQ(FindNames("vfs_*.part.?"), Texts{"vfs_helper.part.0"});
}

TEST(KernelFunctionsTest, RefusalsNameTheReason) {
  EXPECT_EQ(FindNames("vfs_raed")[0],
            "the kernel has no function 'vfs_raed': there is none, or the compiler inlined it "
            "everywhere");
  EXPECT_EQ(FindNames("vfs_raed")[1], "did you mean 'vfs_read'? it must be in /proc/kallsyms");
  EXPECT_EQ(FindNames("changed")[0],
            "the compiler changed the parameters of 'changed': the kernel has changed.isra.0");
  EXPECT_EQ(FindNames("no_*")[0], "the kernel has no function that 'no_*' matches");
  std::string many;
  for (int i = 0; i < 1025; ++i)
    many += std::to_string(1000000 + i) + " t f" + std::to_string(i) + "\n";
  EXPECT_EQ(FindNames("f*", many.c_str())[0],
            "'f*' matches more than 1024 functions of the kernel");
}

}  // namespace
}  // namespace capture
