// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/open_as.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "support/temp_folder.h"

namespace control {
namespace {

constexpr uid_t kNobody = 65534;

util::Result<util::UniqueFd> Open(const Peer& peer, const std::string& path) {
  auto process = OpenAs::Begin(peer, path);
  if (!process) return process.TakeError();
  pollfd ready{process->fd(), POLLIN, 0};
  poll(&ready, 1, -1);
  auto file = process->Finish();
  waitpid(process->pid(), nullptr, 0);
  return file;
}

TEST(OpenAsTest, CreatesANewFile) {
  const testing_support::TempFolder folder;
  const Peer self{getuid(), getgid(), getpid(), {}};
  auto file = Open(self, folder / "file");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(write(file->get(), "x", 1), 1);
  struct stat made = {};
  ASSERT_EQ(fstat(file->get(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777, 0600u);
  auto again = Open(self, folder / "file");
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().message, testing::HasSubstr("File exists"));
  std::filesystem::create_symlink(folder / "elsewhere", folder / "link");
  EXPECT_FALSE(Open(self, folder / "link").ok());
}

TEST(OpenAsTest, HasTheRightsOfThePeer) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: needs root to become nobody";
  const testing_support::TempFolder folder;
  const Peer nobody{kNobody, kNobody, getpid(), {}};
  chmod(folder.path().c_str(), 0755);
  auto refused = Open(nobody, folder / "file");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, testing::HasSubstr("Permission denied"));
  // Access through a supplementary group.
  constexpr gid_t kGroup = 12345;
  ASSERT_EQ(chown(folder.path().c_str(), 0, kGroup), 0);
  chmod(folder.path().c_str(), 0770);
  EXPECT_FALSE(Open(nobody, folder / "file").ok());
  auto file = Open({kNobody, kNobody, getpid(), {kGroup}}, folder / "file");
  ASSERT_TRUE(file.ok()) << file.error().message;
  struct stat made = {};
  ASSERT_EQ(fstat(file->get(), &made), 0);
  EXPECT_EQ(made.st_uid, kNobody);
}

}  // namespace
}  // namespace control
