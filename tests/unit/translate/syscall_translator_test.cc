// SPDX-License-Identifier: BSD-2-Clause
#include "translate/syscall_translator.h"

#include <gtest/gtest.h>

#include "unit/translate/capture_script.h"

namespace translate {
namespace {

using testing::CaptureScript;
using Lines = std::vector<std::string>;

class SyscallTranslatorTest : public ::testing::Test {
 public:
  SyscallTranslatorTest() { script_.Task(100, 100, "app").Task(101, 100, "worker"); }
  SyscallTranslatorTest& Enter(uint64_t time, uint32_t tid, uint32_t number, uint8_t compat = 0) {
    script_.Slot(time, 0, FXR_SLOT_SYSCALL_ENTRY, fxr_pack_syscall_entry({tid, number, compat}));
    return *this;
  }
  SyscallTranslatorTest& Leave(uint64_t time, uint32_t tid, int64_t result) {
    script_.Slot(time, 0, FXR_SLOT_SYSCALL_EXIT, fxr_pack_syscall_exit({tid, result}));
    return *this;
  }
  Lines Written() { return script_.Lines("syscall:"); }
  uint64_t unmatched() { return script_.translator().stats().unmatched_ends; }

  CaptureScript script_;
};

TEST_F(SyscallTranslatorTest, CallsOfSeveralThreadsDoNotMix) {
  Enter(10, 100, 0).Enter(20, 101, 1).Leave(30, 100, 5).Leave(40, 101, 6);
  EXPECT_EQ(Written(), (Lines{
                           "10 begin app/100 syscall:read",
                           "20 begin worker/101 syscall:write",
                           "30 end app/100 syscall:read {ret=5}",
                           "40 end worker/101 syscall:write {ret=6}",
                       }));
}

// A thread is in one call at a time. An open call would enclose all later events of the thread.
TEST_F(SyscallTranslatorTest, CallWithoutAReturnEndsAtTheNextCall) {
  Enter(10, 100, 0).Enter(50, 100, 1).Leave(60, 100, 6).Leave(70, 100, 7);
  EXPECT_EQ(Written(), (Lines{
                           "10 begin app/100 syscall:read",
                           "50 end app/100 syscall:read",
                           "50 begin app/100 syscall:write",
                           "60 end app/100 syscall:write {ret=6}",
                       }));
  EXPECT_EQ(unmatched(), 1u);
}

TEST_F(SyscallTranslatorTest, TheTidIsReusedDuringACall) {
  Enter(10, 101, 0);
  script_.Exit(20, 101, 100, 0).Switch(30, 0, 101, 0, FXR_STATE_DEAD);
  script_.Fork(40, 100, 101, 100, "app");
  Leave(50, 101, 5);
  const Lines written = Written();
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[1], "20 end worker/101 syscall:read");
  EXPECT_EQ(unmatched(), 1u);
}

// exec gives the thread the tid of its leader during the call.
TEST_F(SyscallTranslatorTest, ACallEndsOnTheThreadItBeganOn) {
  Enter(10, 101, 59);
  script_.Exit(20, 100, 100, 0).Exec(30, 101, 100, "other", "/bin/other", "other");
  Leave(40, 100, 0);
  const Lines written = Written();
  ASSERT_EQ(written.size(), 2u);
  EXPECT_EQ(written[0], "10 begin worker/101 syscall:execve");
  EXPECT_NE(written[1].find("/101 syscall:execve {ret=0}"), std::string::npos) << written[1];
}

TEST_F(SyscallTranslatorTest, ResultsKeepTheirSizeAndTheirSign) {
  Enter(10, 100, 9).Leave(20, 100, 0x7f0000001000).Enter(30, 100, 0).Leave(40, 100, -4095);
  const Lines written = Written();
  ASSERT_EQ(written.size(), 4u);
  EXPECT_EQ(written[1], "20 end app/100 syscall:mmap {ret=139637976731648}");
  EXPECT_EQ(written[3], "40 end app/100 syscall:read {ret=-4095}");
}

// 32-bit programs use other call numbers.
TEST_F(SyscallTranslatorTest, CallsOfOtherTablesHaveTheirNames) {
  Enter(10, 100, 3).Leave(20, 100, 0).Enter(30, 100, 3, 1).Leave(40, 100, 0);
  const Lines written = Written();
  ASSERT_EQ(written.size(), 4u);
  EXPECT_NE(written[0], "10 begin app/100 syscall:" + written[2].substr(written[2].rfind(':') + 1));
  EXPECT_EQ(written[2].substr(written[2].rfind(':')),
            written[3]
                .substr(written[3].rfind(':'))
                .substr(0, written[2].size() - written[2].rfind(':')));
}

// Programs can use arbitrarily many call numbers.
TEST_F(SyscallTranslatorTest, InvalidNumbersDoNotFillTheStringTable) {
  for (uint32_t i = 0; i < 5000; ++i)
    Enter(10 + 2 * i, 100, 100'000 + i).Leave(11 + 2 * i, 100, -38);
  const Lines written = Written();
  ASSERT_EQ(written.size(), 10'000u);
  EXPECT_EQ(written.back(), "10009 end app/100 syscall:syscall {ret=-38}");
}

}  // namespace
}  // namespace translate
