// SPDX-License-Identifier: BSD-2-Clause
#include "output/owner_rules.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "sink/output.h"
#include "unit/sink/sink_test_support.h"

namespace output {
namespace {

class SudoUserTest : public ::testing::Test {
 protected:
  SudoUserTest() : uid_(Get("SUDO_UID")), gid_(Get("SUDO_GID")) {}
  ~SudoUserTest() override { Set(uid_, gid_); }

  static std::optional<std::string> Get(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  }
  static void Set(const std::optional<std::string>& uid, const std::optional<std::string>& gid) {
    uid ? setenv("SUDO_UID", uid->c_str(), 1) : unsetenv("SUDO_UID");
    gid ? setenv("SUDO_GID", gid->c_str(), 1) : unsetenv("SUDO_GID");
  }

 private:
  const std::optional<std::string> uid_;
  const std::optional<std::string> gid_;
};

TEST_F(SudoUserTest, ReadsTheEnvironment) {
  Set("1000", "1001");
  const auto user = UserBehindSudo();
  ASSERT_TRUE(user);
  EXPECT_EQ(user->uid, 1000u);
  EXPECT_EQ(user->gid, 1001u);
}

TEST_F(SudoUserTest, RequiresTwoNumbers) {
  using Value = std::optional<std::string>;
  const std::pair<Value, Value> cases[] = {{{}, {}},       {"1000", {}},     {{}, "1000"},
                                           {"", "1000"},   {"me", "1000"},   {"1000x", "100"},
                                           {"-1", "100"},  {"0", "0"},       {"4294967295", "100"},
                                           {"1e3", "100"}, {" 1000", "100"}, {"1000", "100 000"}};
  for (const auto& [uid, gid] : cases) {
    Set(uid, gid);
    EXPECT_FALSE(UserBehindSudo()) << uid.value_or("unset") << " " << gid.value_or("unset");
  }
}

TEST_F(SudoUserTest, OwnsNewFilesOnly) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const sink::testing::TemporaryFolder folder;
  struct stat status = {};
  Set({}, {});
  ASSERT_TRUE(sink::Output::OpenFile(folder / "before").ok());
  Set("12345", "23456");
  ASSERT_TRUE(sink::Output::OpenFile(folder / "new").ok());
  ASSERT_EQ(stat((folder / "new").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 12345u);
  EXPECT_EQ(status.st_gid, 23456u);
  ASSERT_TRUE(sink::Output::OpenFile(folder / "before").ok());
  ASSERT_EQ(stat((folder / "before").c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 0u) << "sudo fxt-record -o /etc/file does not give /etc/file away";
}

}  // namespace
}  // namespace output
