// SPDX-License-Identifier: BSD-2-Clause
#include "measure/waited_object.h"

#include <gtest/gtest.h>

namespace measure {
namespace {

using facts::WaitsFor;

std::string NameOf(const char* kind, const char* object) {
  return WaitedObjectOf({.syscall = "read", .kind = kind, .object = object}, false,
                        WaitsFor::kAnswer)
      .object;
}

TEST(WaitedObjectTest, NamesAreThoseThatLast) {
  EXPECT_EQ(NameOf("file", "/tmp/run-4711/appendonly.aof"), "appendonly.aof");
  EXPECT_EQ(NameOf("file", "/var/lib/db/segment-17"), "segment-#");
  EXPECT_EQ(NameOf("tcp", "127.0.0.1:40112 -> 127.0.0.1:6379"), "127.0.0.1:# -> 127.0.0.1:6379");
  EXPECT_EQ(NameOf("tcp", "127.0.0.1:6379 -> 127.0.0.1:40112"), "127.0.0.1:6379 -> 127.0.0.1:#");
  EXPECT_EQ(NameOf("tcp", "[::1]:50000"), "[::1]:#");
  EXPECT_EQ(NameOf("pipe", "pipe:[1234]"), "");
  EXPECT_EQ(NameOf("futex", "0x7f0011223344"), "");
  EXPECT_EQ(NameOf("unix", "socket:[77]"), "");
  EXPECT_EQ(NameOf("unix", "/run/postgresql/.s.PGSQL.5432"), ".s.PGSQL.#");
  EXPECT_EQ(NameOf("sleep", ""), "");
}

TEST(WaitedObjectTest, CallAndKindStay) {
  const WaitedObject waited = WaitedObjectOf(
      {.syscall = "fdatasync", .kind = "file", .object = "/a/b"}, true, WaitsFor::kDevice);
  EXPECT_EQ(waited, (WaitedObject{.blocked = true,
                                  .waits_for = WaitsFor::kDevice,
                                  .syscall = "fdatasync",
                                  .kind = "file",
                                  .object = "b"}));
}

TEST(WaitedObjectTest, LongNamesAreCut) {
  EXPECT_LE(NameOf("file", std::string(5000, 'x').c_str()).size(), 256u);
  EXPECT_LE(
      NameOf("tcp", (std::string(5000, 'x') + " -> " + std::string(5000, 'y')).c_str()).size(),
      256u);
}

}  // namespace
}  // namespace measure
