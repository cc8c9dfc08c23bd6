// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/sleep_ledger.h"

#include <gtest/gtest.h>

#include "fxt/record.h"

namespace analyze {
namespace {

fxt::StringRef Text(std::string_view text) { return fxt::StringRef::Inline(text); }

class SleepLedgerTest : public ::testing::Test {
 protected:
  SleepLedgerTest() {
    Process(1, "client");
    Process(2, "server");
    Thread(11, 1, "client");
    Thread(12, 1, "reader");
    Thread(21, 2, "server");
  }
  void Process(fxt::Koid koid, std::string_view name) {
    names_.Note(fxt::KernelObject{
        static_cast<uint8_t>(fxt::KernelObjectType::kProcess), koid, Text(name), {}});
  }
  void Thread(fxt::Koid koid, fxt::Koid process, std::string_view name) {
    const fxt::Argument argument{Text("process"), fxt::KoidValue{process}};
    names_.Note(fxt::KernelObject{
        static_cast<uint8_t>(fxt::KernelObjectType::kThread), koid, Text(name), {&argument, 1}});
  }
  void Sleep(fxt::Koid thread, uint64_t length, const facts::WaitObject& object,
             std::optional<fxt::Koid> waker = std::nullopt) {
    facts::Wait wait{
        .thread = thread, .kind = facts::WaitKind::kSleep, .begin = 1'000, .end = 1'000 + length};
    wait.end_record = facts::WaitEnd::kWakeup;
    wait.end_waker = waker;
    wait.object = &object;
    ledger_.Add(wait, names_);
  }

  facts::TaskNames names_;
  SleepLedger ledger_;
};

TEST_F(SleepLedgerTest, SleepsAddUpByThreadObjectAndWaker) {
  const facts::WaitObject socket{.syscall = "read", .kind = "tcp", .object = "a -> b"};
  Sleep(11, 100, socket, 21);
  Sleep(11, 300, socket, 21);
  Sleep(11, 50, socket);
  facts::WaitObject with_peer = socket;
  with_peer.peer = 21;
  Sleep(11, 20, with_peer);
  const auto sleeps = ledger_.Sleeps();
  ASSERT_EQ(sleeps.size(), 2u);
  EXPECT_EQ(sleeps[0].process, "client");
  EXPECT_EQ(sleeps[0].whom, "server");
  EXPECT_EQ(sleeps[0].times.ns, 420u);
  EXPECT_EQ(sleeps[0].times.count, 3u);
  EXPECT_EQ(sleeps[0].times.longest_ns, 300u);
  EXPECT_EQ(sleeps[1].whom, "");
  EXPECT_TRUE(ledger_.Locks().empty());
}

TEST_F(SleepLedgerTest, LocksHaveWaitersAndHolders) {
  facts::WaitObject lock{.syscall = "futex", .kind = "futex", .object = "0x10", .peer = 12};
  Sleep(11, 100, lock);
  lock.peer = 11;
  Sleep(12, 10, lock);
  // The same address in another process is another lock.
  lock.peer = 21;
  Sleep(21, 1, lock);
  // Without a holder it may be a condition.
  lock.peer.reset();
  lock.object = "0x20";
  Sleep(11, 1'000, lock);
  const auto locks = ledger_.Locks();
  ASSERT_EQ(locks.size(), 2u);
  EXPECT_EQ(locks[0].waiters.size(), 2u);
  EXPECT_EQ(locks[0].holders.at(12), 100u);
  EXPECT_EQ(locks[0].times.ns, 110u);
  EXPECT_EQ(locks[1].process, "server");
}

TEST_F(SleepLedgerTest, KindsBeyondTheLimitAreCountedTogether) {
  for (size_t i = 0; i < SleepLedger::kMaxRows + 5; ++i) {
    Sleep(11, 1, {.kind = "file", .object = std::to_string(i)});
  }
  EXPECT_EQ(ledger_.Sleeps().size(), SleepLedger::kMaxRows);
  EXPECT_EQ(ledger_.left_out().count, 5u);
}

}  // namespace
}  // namespace analyze
