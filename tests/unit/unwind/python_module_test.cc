// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/python_module.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace unwind {
namespace {

TEST(PythonModuleTest, AProgramWithoutInterpreterHasNone) {
  const auto self = symbols::ElfFile::Open("/proc/self/exe");
  ASSERT_TRUE(self.ok());
  EXPECT_TRUE(FindPython(*self).empty());
}

TEST(PythonModuleTest, FindsTheInterpretersOfTheDistribution) {
  int found = 0;
  for (const uint32_t minor : {9, 10, 11, 12, 13}) {
    const std::string path = "/usr/bin/python3." + std::to_string(minor);
    if (access(path.c_str(), R_OK) != 0) continue;
    const auto file = symbols::ElfFile::Open(path);
    ASSERT_TRUE(file.ok());
    const PythonModule module = FindPython(*file);
    if (module.empty()) continue;  // a small program with a shared library
    ++found;
    EXPECT_EQ(module.minor, minor);
    EXPECT_GT(module.loop_bytes, 1000u);
    EXPECT_TRUE(PythonLayout(module).has_value());
  }
  if (found == 0) GTEST_SKIP() << "SKIPPED: no /usr/bin/python3.x of a known version";
}

TEST(PythonModuleTest, AnUnknownVersionHasNoLayout) {
  for (const uint32_t minor : {8, 14, 1000}) {
    PythonModule module;
    module.minor = minor;
    EXPECT_FALSE(PythonLayout(module).has_value()) << minor;
  }
}

TEST(PythonModuleTest, OffsetsOfTheFileCountMore) {
  PythonModule module;
  module.minor = 13;
  module.interpreters = 640;
  module.next_interpreter = 7000;
  module.threads = 7100;
  const auto layout = PythonLayout(module);
  ASSERT_TRUE(layout.has_value());
  EXPECT_EQ(layout->interpreters, 640u);
  EXPECT_EQ(layout->next_interpreter, 7000u);
  EXPECT_EQ(layout->threads, 7100u);
}

}  // namespace
}  // namespace unwind
