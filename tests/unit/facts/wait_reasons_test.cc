// SPDX-License-Identifier: BSD-2-Clause
#include "facts/wait_reasons.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "fxt/byte_source.h"
#include "schema/koid.h"
#include "unit/fxt/support/file_builder.h"

namespace facts {
namespace {

fxt::StringRef TextRef(std::string_view text) { return fxt::StringRef::Inline(text); }

class WaitReasonsTest : public ::testing::Test {
 protected:
  WaitReasonsTest() {
    file_.Add(fxt::Initialization{1'000'000'000});
    file_.Add(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                schema::DeviceKoid(0),
                                TextRef("vda"),
                                {}});
  }
  void Event(fxt::EventType type, uint64_t time, fxt::Koid thread, std::string_view category,
             std::string_view name, const std::vector<fxt::Argument>& arguments,
             uint64_t payload = 0) {
    file_.Add(fxt::Event{.type = type,
                         .timestamp = time,
                         .thread = fxt::ThreadRef::Inline(1, thread),
                         .category = TextRef(category),
                         .name = TextRef(name),
                         .arguments = arguments,
                         .payload = payload});
  }
  void Issue(uint64_t time, uint64_t id, fxt::Koid thread) {
    Event(fxt::EventType::kAsyncBegin, time, schema::DeviceKoid(0), "block", "read",
          {{TextRef("thread"), fxt::KoidValue{thread}},
           {TextRef("bytes"), uint32_t{4096}},
           {TextRef("sector"), uint64_t{88}}},
          id);
  }
  void Complete(uint64_t time, uint64_t id, std::string_view argument = "error") {
    Event(fxt::EventType::kAsyncEnd, time, schema::DeviceKoid(0), "block", "read",
          {{TextRef(argument), int32_t{1}}}, id);
  }
  void Fault(fxt::EventType type, uint64_t time, fxt::Koid thread) {
    Event(type, time, thread, "fault", "major", {{TextRef("address"), fxt::PointerValue{0x1f000}}});
  }
  // Returns the reasons after all records; the clock has ticks of a nanosecond.
  WaitReasons& Read() {
    source_.emplace(file_.bytes());
    fxt::Reader reader(*source_);
    while (reader.Next() == fxt::ReadStatus::kRecord) {
      reasons_.NoteObject(reader.record());
      reasons_.NoteEvent(reader);
    }
    return reasons_;
  }

  fxt::testing::FileBuilder file_;
  std::optional<fxt::MemorySource> source_;
  WaitReasons reasons_;
};

constexpr const char* kRequest = "block read vda 4096 bytes at sector 88";

TEST_F(WaitReasonsTest, OwnRequestThatWasDoneMeanwhile) {
  Issue(1'000, 7, 100);
  Complete(3'000, 7);
  const WaitReasons& reasons = Read();
  EXPECT_EQ(reasons.ReasonOf(100, 2'000, 4'000, true), kRequest);
  // One was done before that wait; the other belongs to another thread.
  EXPECT_EQ(reasons.ReasonOf(100, 3'500, 4'000, true), "");
  EXPECT_EQ(reasons.ReasonOf(101, 2'000, 4'000, true), "");
}

TEST_F(WaitReasonsTest, InterruptOfACompletionWakesTheWaitingThread) {
  Issue(1'000, 7, 100);
  Complete(3'000, 7);
  const WaitReasons& reasons = Read();
  EXPECT_EQ(reasons.ReasonOf(101, 2'000, 4'000, false), kRequest);
  EXPECT_EQ(reasons.ReasonOf(101, 2'000, 400'000, false), "");
}

TEST_F(WaitReasonsTest, MergedRequestsAndThoseUnderWayAreNone) {
  Issue(1'000, 7, 100);
  Complete(3'000, 7, "merged");
  Issue(1'000, 8, 100);
  EXPECT_EQ(Read().ReasonOf(100, 2'000, 4'000, false), "");
}

TEST_F(WaitReasonsTest, FaultAsLongAsItLasts) {
  Fault(fxt::EventType::kDurationBegin, 1'000, 100);
  EXPECT_EQ(Read().ReasonOf(100, 1'000, 2'000, false), "page fault at 0x1f000");
  Fault(fxt::EventType::kDurationEnd, 2'000, 100);
  EXPECT_EQ(Read().ReasonOf(100, 3'000, 4'000, false), "");
}

TEST_F(WaitReasonsTest, StackSaysInWhat) {
  Event(fxt::EventType::kInstant, 5'000, 100, "stack", "off",
        {{TextRef("stack"), fxt::PointerValue{1}},
         {TextRef("away"), uint64_t{4'000}},
         {TextRef("in"), TextRef("folio_wait_bit_common")}});
  const WaitReasons& reasons = Read();
  ASSERT_TRUE(reasons.slept());
  EXPECT_TRUE(reasons.has_stacks());
  EXPECT_EQ(reasons.slept()->thread, 100u);
  EXPECT_EQ(reasons.slept()->in, "folio_wait_bit_common");
  EXPECT_TRUE(IsOf(*reasons.slept(), 1'020));
  EXPECT_FALSE(IsOf(*reasons.slept(), 900'000));
}

// Tens of thousands of requests are kept.
TEST_F(WaitReasonsTest, CutsLongNames) {
  const std::string text(32'000, 'x');
  Event(fxt::EventType::kAsyncBegin, 1'000, schema::DeviceKoid(0), "block", text,
        {{TextRef("thread"), fxt::KoidValue{100}}}, 1);
  Complete(2'000, 1);
  EXPECT_LT(Read().ReasonOf(100, 900, 3'000, false).size(), 200u);
  EXPECT_TRUE(Read().ReasonOf(100, 900, 3'000, false).starts_with("block xxx"));
}

TEST(WaitReasonsTextTest, PartsAndKinds) {
  EXPECT_EQ(JoinReasons("", "f"), "f");
  EXPECT_EQ(JoinReasons("a", ""), "a");
  EXPECT_EQ(JoinReasons("a", "f"), "a; f");
  EXPECT_EQ(KindOfReason("page fault at 0x1; block read vda 1 bytes"), "page fault");
  EXPECT_EQ(KindOfReason("block read vda 4096 bytes at sector 8; f"), "block read vda");
  EXPECT_EQ(KindOfReason("block flush vda; f"), "block flush vda");
  EXPECT_EQ(KindOfReason("rwsem_down_write_slowpath"), "rwsem_down_write_slowpath");
  EXPECT_EQ(KindOfReason(""), "");
}

}  // namespace
}  // namespace facts
