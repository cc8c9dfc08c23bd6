// SPDX-License-Identifier: BSD-2-Clause
#include "session/trigger/pressure_watch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/temp_folder.h"

namespace session {
namespace {

TEST(PressureWatchTest, WritesMicrosecondsToTheKernel) {
  const testing_support::TempFolder folder;
  std::filesystem::create_directory(folder.path() / "pressure");
  std::ofstream(folder / "pressure/cpu").flush();
  const auto spec = ParseTrigger("psi cpu some 20% 1s");
  ASSERT_TRUE(spec.ok());
  const auto watch = PressureWatch::Open(*spec, folder.path());
  ASSERT_TRUE(watch.ok()) << watch.error().message;
  std::string written;
  std::getline(std::ifstream(folder / "pressure/cpu"), written, '\0');
  EXPECT_EQ(written, "some 200000 1000000");
}

// A file that rejects the written text simulates the kernel's refusal.
TEST(PressureWatchTest, ReportsAWindowThatNeedsAPrivilege) {
  const testing_support::TempFolder folder;
  std::filesystem::create_directory(folder.path() / "pressure");
  std::filesystem::create_symlink("/proc/self/oom_score_adj", folder.path() / "pressure/cpu");
  const auto one = PressureWatch::Open(*ParseTrigger("psi cpu some 20% 1s"), folder.path());
  ASSERT_FALSE(one.ok());
  EXPECT_NE(one.error().message.find("a window of 1"), std::string::npos) << one.error().message;
  EXPECT_NE(one.error().message.find("CAP_SYS_RESOURCE"), std::string::npos);
  const auto four = PressureWatch::Open(*ParseTrigger("psi cpu some 20% 4s"), folder.path());
  ASSERT_FALSE(four.ok());
  EXPECT_EQ(four.error().message.find("CAP_SYS_RESOURCE"), std::string::npos);
}

TEST(PressureWatchTest, ReportsAKernelWithoutPressure) {
  const testing_support::TempFolder folder;
  const auto spec = ParseTrigger("psi io full 50% 2s");
  ASSERT_TRUE(spec.ok());
  const auto watch = PressureWatch::Open(*spec, folder.path());
  ASSERT_FALSE(watch.ok());
  EXPECT_NE(watch.error().message.find("does not measure pressure"), std::string::npos);
  EXPECT_NE(watch.error().hint.find("CONFIG_PSI"), std::string::npos);
}

}  // namespace
}  // namespace session
