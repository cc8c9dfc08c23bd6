// SPDX-License-Identifier: BSD-2-Clause
#include "facts/scheduling.h"

#include <gtest/gtest.h>

#include "schema/koid.h"

namespace facts {
namespace {

class SchedulingTest : public ::testing::Test {
 protected:
  fxt::ReaderProvider Provider(std::string_view name) {
    fxt::ReaderProvider provider(1, budget_);
    provider.Announce(name);
    return provider;
  }
  fxt::TableBudget budget_{.limit = 1'000'000};
};

// A CPU above 255 takes the newer layout, which has no process to tell the idle thread by.
TEST_F(SchedulingTest, TheRecordersIdleThreadIsIdleInTheNewerLayoutToo) {
  const fxt::Record record = fxt::ContextSwitch{.timestamp = 5,
                                                .cpu = 300,
                                                .outgoing_thread = schema::IdleKoid(300),
                                                .incoming_thread = 7,
                                                .arguments = {}};
  const auto own = AsSwitch(record, Provider("fxt-record"));
  ASSERT_TRUE(own);
  EXPECT_TRUE(own->outgoing.idle);
  EXPECT_FALSE(own->incoming.idle);
  EXPECT_FALSE(AsSwitch(record, Provider("other"))->outgoing.idle);
}

TEST_F(SchedulingTest, TheStandInForLostEventsIsNoThread) {
  const fxt::Record record = fxt::LegacyContextSwitch{
      .timestamp = 5,
      .cpu = 3,
      .outgoing = fxt::ThreadRef::Inline(1, 7),
      .incoming = fxt::ThreadRef::Inline(schema::kLostProcessKoid, schema::LostKoid(3))};
  const auto own = AsSwitch(record, Provider("fxt-record"));
  ASSERT_TRUE(own);
  EXPECT_FALSE(own->outgoing.lost);
  EXPECT_TRUE(own->incoming.lost);
  EXPECT_FALSE(own->incoming.idle);
  EXPECT_FALSE(AsSwitch(record, Provider("other"))->incoming.lost);
}

}  // namespace
}  // namespace facts
