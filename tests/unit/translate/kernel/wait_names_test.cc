// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/wait_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace translate {
namespace {

using namespace std::string_literals;  // NOLINT: texts with NULs

fxr_wait_long Wait(fxr_wait_kind kind, uint32_t flags = 0) {
  fxr_wait_long wait{};
  wait.kind = kind;
  wait.flags = flags;
  return wait;
}

TEST(WaitNamesTest, PathsBeginAtTheRoot) {
  const std::string names = "journal\0db\0lib\0var\0"s;
  EXPECT_EQ(NameOfWait(Wait(FXR_WAIT_FILE, FXR_WAIT_PATH_ROOTED), names).object,
            "/var/lib/db/journal");
  EXPECT_EQ(NameOfWait(Wait(FXR_WAIT_FILE, FXR_WAIT_PATH_CUT), names).object,
            ".../var/lib/db/journal");
  // A path outside of the root, or without one.
  EXPECT_EQ(NameOfWait(Wait(FXR_WAIT_FILE), "memfd:x\0"s).object, "memfd:x");
  EXPECT_EQ(NameOfWait(Wait(FXR_WAIT_DIRECTORY, FXR_WAIT_PATH_ROOTED), "").object, "/");
  EXPECT_EQ(NameOfWait(Wait(FXR_WAIT_FILE), "").object, "");
  EXPECT_EQ(NameOfWait(Wait(FXR_WAIT_FILE, FXR_WAIT_FILE_LOCK), names).kind, "file lock");
}

TEST(WaitNamesTest, DeviceNumbersIdentifyTerminals) {
  fxr_wait_long wait = Wait(FXR_WAIT_CHARACTER, FXR_WAIT_PATH_ROOTED);
  wait.device = 136u << 20 | 3;
  EXPECT_EQ(NameOfWait(wait, "3\0pts\0dev\0"s).kind, "terminal");
  EXPECT_EQ(DeviceNumber(wait), "136:3");
  wait.device = 1u << 20 | 9;
  EXPECT_EQ(NameOfWait(wait, "urandom\0dev\0"s).kind, "device");
}

fxr_wait_long Socket(uint32_t family, uint32_t protocol, uint32_t local, uint32_t remote) {
  fxr_wait_long wait = Wait(FXR_WAIT_SOCKET);
  wait.device = family | 1u << 8 | protocol << 16;
  wait.ports = local << 16 | remote;
  wait.object = 77;
  return wait;
}

TEST(WaitNamesTest, SocketsHaveLocalAndRemoteAddresses) {
  const std::string v4 = "\x7f\0\0\x01\x0a\0\0\x02"s;
  const WaitName tcp = NameOfWait(Socket(2, 6, 40112, 6379), v4);
  EXPECT_EQ(tcp.kind, "tcp");
  EXPECT_EQ(tcp.object, "127.0.0.1:40112 -> 10.0.0.2:6379");
  const WaitName udp = NameOfWait(Socket(2, 17, 53, 0), v4);
  EXPECT_EQ(udp.kind, "udp");
  EXPECT_EQ(udp.object, "127.0.0.1:53");
  std::string v6(32, '\0');
  v6[15] = v6[31] = 1;
  EXPECT_EQ(NameOfWait(Socket(10, 6, 1, 2), v6).object, "[::1]:1 -> [::1]:2");
  fxr_wait_long listening = Socket(2, 6, 80, 0);
  listening.flags = FXR_WAIT_LISTENS;
  EXPECT_EQ(NameOfWait(listening, v4).object, "127.0.0.1:80");
  // The text is too short for two addresses.
  EXPECT_EQ(NameOfWait(Socket(10, 6, 1, 2), v4).object, "");
}

TEST(WaitNamesTest, UnixSocketsHaveAPathOrTheirNumber) {
  EXPECT_EQ(NameOfWait(Socket(1, 0, 0, 0), "/run/x.sock\0"s).object, "/run/x.sock");
  EXPECT_EQ(NameOfWait(Socket(1, 0, 0, 0), "\0abstract"s).object, "@abstract");
  EXPECT_EQ(NameOfWait(Socket(1, 0, 0, 0), "").object, "socket:[77]");
  EXPECT_EQ(NameOfWait(Socket(16, 0, 0, 0), "").kind, "netlink");
}

TEST(WaitNamesTest, AnonymousInodesHaveTheKernelsName) {
  fxr_wait_long wait = Wait(FXR_WAIT_ANONYMOUS);
  wait.object = 5;
  EXPECT_EQ(NameOfWait(wait, "[eventfd]\0"s).object, "eventfd:5");
  EXPECT_EQ(NameOfWait(wait, "[eventpoll]\0"s).kind, "epoll");
  EXPECT_EQ(NameOfWait(wait, "inotify\0"s).kind, "inotify");
  EXPECT_EQ(NameOfWait(wait, "").kind, "");
  EXPECT_EQ(NameOfWait(Wait(FXR_WAIT_NOTHING), "").kind, "");
}

TEST(WaitNamesTest, FutexesInAMappedFileHaveTheFileAndAnOffset) {
  fxr_wait_long wait = Wait(FXR_WAIT_FUTEX, FXR_WAIT_MAPPED | FXR_WAIT_PATH_ROOTED);
  wait.object = 0x7f0012345678;
  wait.offset = 0x1d2c80;
  EXPECT_EQ(NameOfWait(wait, "libc.so.6\0lib\0usr\0"s).object, "/usr/lib/libc.so.6+0x1d2c80");
  // Shared memory without a name.
  wait.flags = FXR_WAIT_MAPPED;
  EXPECT_EQ(NameOfWait(wait, "dev/zero\0"s).object, "0x7f0012345678");
  wait.flags = 0;
  EXPECT_EQ(NameOfWait(wait, "").object, "0x7f0012345678");
}

TEST(WaitNamesTest, FaultsAreForAFileOrAnonymousMemory) {
  fxr_wait_long wait =
      Wait(FXR_WAIT_NOTHING, FXR_WAIT_FAULT | FXR_WAIT_MAPPED | FXR_WAIT_PATH_ROOTED);
  wait.device = 254u << 20;
  EXPECT_EQ(FileOfFault(wait, "index\0db\0"s), "/db/index");
  EXPECT_EQ(DeviceNumber(wait), "254:0");
  wait.flags = FXR_WAIT_FAULT;
  EXPECT_EQ(FileOfFault(wait, ""), "anonymous");
  EXPECT_EQ(FileOfFault(Wait(FXR_WAIT_FILE), "index\0"s), "");
}

TEST(WaitNamesTest, FuseFilesAndTheMmapLockHaveTheirOwnKinds) {
  EXPECT_EQ(
      NameOfWait(Wait(FXR_WAIT_FILE, FXR_WAIT_FUSE | FXR_WAIT_PATH_ROOTED), "file\0mnt\0"s).kind,
      "fuse");
  EXPECT_EQ(NameOfWait(Wait(FXR_WAIT_ADDRESS_SPACE), "").kind, "mmap_lock");
}

TEST(WaitNamesTest, InnermostKnownFunctionGivesTheKind) {
  EXPECT_EQ(KindOfFunctions(
                std::vector<std::string>{"folio_wait_bit", "filemap_fault", "handle_mm_fault"}),
            "page fault");
  EXPECT_EQ(
      KindOfFunctions(std::vector<std::string>{"shrink", "try_to_free_pages", "handle_mm_fault"}),
      "reclaim");
  // The outer functions are beyond the recorded frames.
  EXPECT_EQ(
      KindOfFunctions(std::vector<std::string>{"blk_mq_get_tag", "submit_bio", "filemap_fault"}),
      "page fault");
  EXPECT_EQ(KindOfFunctions(
                std::vector<std::string>{"blk_mq_get_tag", "swap_writepage", "shrink_page_list"}),
            "reclaim");
  EXPECT_EQ(KindOfFunctions(std::vector<std::string>{"jbd2_log_wait_commit", "ext4_sync_file"}),
            "");
  EXPECT_EQ(KindOfFunctions({}), "");
}

}  // namespace
}  // namespace translate
