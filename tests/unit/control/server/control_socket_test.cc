// SPDX-License-Identifier: BSD-2-Clause
#include "control/server/control_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.h"

namespace control {
namespace {

using testing::HasSubstr;

mode_t ModeOf(const std::string& path) {
  struct stat status = {};
  return lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(ControlSocketTest, IsAccessibleToItsOwnerOnly) {
  const testing_support::TempFolder folder;
  const std::string path = folder / "below/control";
  {
    auto socket = ControlSocket::Bind(path, std::nullopt);
    ASSERT_TRUE(socket.ok()) << socket.error().message;
    EXPECT_EQ(ModeOf(path), 0600u);
    EXPECT_EQ(ModeOf(path + ".lock"), 0600u);
    EXPECT_FALSE((*socket)->replaced_stale());
    EXPECT_TRUE((*socket)->IsInPlace());
    auto second = ControlSocket::Bind(path, std::nullopt);
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(second.error().message, HasSubstr("another controller"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(ControlSocket::Bind(path, getgid()).ok());
}

TEST(ControlSocketTest, OpensToAGroup) {
  const testing_support::TempFolder folder;
  auto socket = ControlSocket::Bind(folder / "control", getgid());
  ASSERT_TRUE(socket.ok()) << socket.error().message;
  EXPECT_EQ(ModeOf(folder / "control"), 0660u);
}

TEST(ControlSocketTest, ReplacesTheSocketOfAnEndedProcess) {
  const testing_support::TempFolder folder;
  const std::string path = folder / "control";
  const pid_t child = fork();
  if (child == 0) {
    const auto socket = ControlSocket::Bind(path, std::nullopt);
    _exit(socket.ok() ? 0 : 1);  // like a kill, without cleanup
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(path));
  auto socket = ControlSocket::Bind(path, std::nullopt);
  ASSERT_TRUE(socket.ok()) << socket.error().message;
  EXPECT_TRUE((*socket)->replaced_stale());
}

TEST(ControlSocketTest, DoesNotRemoveOtherFiles) {
  const testing_support::TempFolder folder;
  std::ofstream(folder / "file") << "precious";
  auto file = ControlSocket::Bind(folder / "file", std::nullopt);
  ASSERT_FALSE(file.ok());
  EXPECT_THAT(file.error().message, HasSubstr("is not a socket"));
  EXPECT_TRUE(std::filesystem::exists(folder / "file"));
  EXPECT_FALSE(ControlSocket::Bind(folder / std::string(200, 'x'), std::nullopt).ok());
  EXPECT_FALSE(ControlSocket::Bind("", std::nullopt).ok());
  EXPECT_FALSE(ControlSocket::Bind(folder / "file/control", std::nullopt).ok());
}

TEST(ControlSocketTest, IsRestoredAfterItsDirectoryWasRemoved) {
  const testing_support::TempFolder folder;
  const std::string path = folder / "below/control";
  auto socket = ControlSocket::Bind(path, std::nullopt);
  ASSERT_TRUE(socket.ok());
  std::filesystem::remove_all(folder / "below");
  EXPECT_FALSE((*socket)->IsInPlace());
  ASSERT_TRUE((*socket)->Restore().ok());
  EXPECT_TRUE((*socket)->IsInPlace());
  std::filesystem::remove(path);
  EXPECT_TRUE((*socket)->Restore().ok()) << "the lock is still its own";
  EXPECT_EQ(ModeOf(path), 0600u);
}

TEST(ControlSocketTest, HasNoPassedSocketWithoutAServiceManager) {
  unsetenv("LISTEN_FDS");
  auto none = ControlSocket::FromServiceManager();
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, nullptr);
  // The variables are meant for another process.
  setenv("LISTEN_FDS", "1", 1);
  setenv("LISTEN_PID", "1", 1);
  none = ControlSocket::FromServiceManager();
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(*none, nullptr);
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_PID");
}

TEST(ControlSocketTest, TheEnvironmentNamesThePath) {
  unsetenv("FXT_RECORD_SOCKET");
  EXPECT_EQ(SocketPath(), kDefaultSocket);
  setenv("FXT_RECORD_SOCKET", "", 1);
  EXPECT_EQ(SocketPath(), kDefaultSocket);
  setenv("FXT_RECORD_SOCKET", "/tmp/control", 1);
  EXPECT_EQ(SocketPath(), "/tmp/control");
  unsetenv("FXT_RECORD_SOCKET");
}

}  // namespace
}  // namespace control
