// SPDX-License-Identifier: BSD-2-Clause
#include "settings/process_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <variant>

#include "support/temp_folder.h"

namespace settings {
namespace {

std::map<std::string, std::string> Texts(const schema::Settings& settings) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : settings.values) {
    const auto* number = std::get_if<int64_t>(&value);
    texts[name] = number != nullptr ? std::to_string(*number) : std::get<std::string>(value);
  }
  return texts;
}

TEST(ProcessReaderTest, ReadsThisProcess) {
  ProcessReader reader;
  const auto own = static_cast<uint32_t>(getpid());
  const auto process = reader.Read(own, 77);
  ASSERT_TRUE(process);
  EXPECT_EQ(process->settings.pid, 77U);
  EXPECT_EQ(process->settings.values.front().first, schema::setting::kExecutable);
  auto texts = Texts(process->settings);
  EXPECT_EQ(texts["executable"], std::filesystem::read_symlink("/proc/self/exe").string());
  EXPECT_TRUE(texts.contains("cpus_allowed"));
  EXPECT_TRUE(texts.contains("limit.open_files"));
  EXPECT_EQ(reader.FileOf(own), reader.OwnFile());
}

TEST(ProcessReaderTest, AKernelThreadAndAProcessThatIsGoneHaveNone) {
  ProcessReader reader;
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(reader.Read(static_cast<uint32_t>(child), 1));
  EXPECT_TRUE(reader.ReadLibraries(static_cast<uint32_t>(child), 1).values.empty());
  // Outside of a pid namespace 2 is kthreadd, whose executable cannot be read.
  std::error_code none;
  if (std::filesystem::read_symlink("/proc/2/exe", none).empty()) {
    EXPECT_FALSE(reader.Read(2, 2));
  }
}

TEST(ProcessReaderTest, TheEnvironmentHasNoValues) {
  const testing_support::TempFolder folder;
  folder.Write("proc/5/comm", "app\n");
  const std::string environment("A=secret\0B=\0no sign\0bad name=1\0A=again\0=x\0C=a=b", 48);
  folder.Write("proc/5/environ", environment);
  const ProcessReader reader({.proc = folder / "proc", .sys = "", .boot = ""});
  const HashKey key = HashKey::Load(folder / "key");
  const schema::Settings settings = reader.ReadEnvironment(5, 9, key);
  EXPECT_EQ(settings.subject, "app");
  const std::map<std::string, std::string> expected = {{"environment_key", key.Identity()},
                                                       {"env.A", key.HashOf("A", "secret")},
                                                       {"env.B", key.HashOf("B", "")},
                                                       {"env.C", key.HashOf("C", "a=b")}};
  EXPECT_EQ(Texts(settings), expected);
}

}  // namespace
}  // namespace settings
