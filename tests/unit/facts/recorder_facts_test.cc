// SPDX-License-Identifier: BSD-2-Clause
#include "facts/recorder_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schema/names.h"

namespace facts {
namespace {

// An event with arguments of its own.
class Made {
 public:
  Made(std::string_view category, std::string_view name,
       std::vector<std::pair<std::string_view, fxt::ArgumentValue>> arguments = {},
       fxt::EventType type = fxt::EventType::kInstant) {
    for (const auto& [key, value] : arguments) {
      arguments_.push_back({fxt::StringRef::Inline(key), value});
    }
    event_.type = type;
    event_.category = fxt::StringRef::Inline(category);
    event_.name = fxt::StringRef::Inline(name);
    event_.arguments = arguments_;
  }
  const fxt::Event& event() const { return event_; }

 private:
  std::vector<fxt::Argument> arguments_;
  fxt::Event event_;
};

constexpr std::string_view kOwn = schema::kRecorderName;

TEST(RecorderFactsTest, ALossSaysWhereWhatAndHowMuch) {
  const Made made(kOwn, schema::event::kLostEvents,
                  {{schema::argument::kCpu, int32_t{3}},
                   {schema::argument::kCount, uint64_t{UINT64_MAX}},
                   {schema::argument::kCategory, fxt::StringRef::Inline("sched")}});
  const auto loss = AsLoss(made.event());
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->cpu, 3);
  EXPECT_EQ(loss->count, UINT64_MAX);
  EXPECT_EQ(loss->category, "sched");
}

// Fields that are missing or of another type are unknown, and the loss still counts.
TEST(RecorderFactsTest, ADamagedLossIsALoss) {
  const Made empty(kOwn, schema::event::kLostEvents);
  ASSERT_TRUE(AsLoss(empty.event()));
  EXPECT_FALSE(AsLoss(empty.event())->cpu);
  EXPECT_FALSE(AsLoss(empty.event())->count);
  EXPECT_FALSE(AsLoss(empty.event())->category);
  const Made odd(kOwn, schema::event::kLostEvents,
                 {{schema::argument::kCpu, fxt::StringRef::Inline("3")},
                  {schema::argument::kCount, uint32_t{9}},
                  {schema::argument::kCategory, uint32_t{1}}});
  ASSERT_TRUE(AsLoss(odd.event()));
  EXPECT_FALSE(AsLoss(odd.event())->cpu);
  EXPECT_EQ(AsLoss(odd.event())->count, 9u);
  EXPECT_FALSE(AsLoss(odd.event())->category);
}

// Any program may write an instant with this name. The counter of losses is not a loss.
TEST(RecorderFactsTest, OnlyInstantsOfTheRecorderDeclare) {
  EXPECT_FALSE(AsLoss(Made("app", schema::event::kLostEvents).event()));
  EXPECT_FALSE(
      AsLoss(Made(kOwn, schema::event::kLostEvents, {}, fxt::EventType::kCounter).event()));
  EXPECT_FALSE(AsUnseenSwitch(
      Made("app", schema::event::kUnseenSwitch, {{schema::argument::kCpu, int32_t{1}}}).event()));
  EXPECT_FALSE(IsSession(Made("app", schema::event::kSession).event()));
  EXPECT_TRUE(IsSession(Made(kOwn, schema::event::kSession).event()));
}

TEST(RecorderFactsTest, AnUnseenSwitchIsOfACpu) {
  EXPECT_EQ(AsUnseenSwitch(
                Made(kOwn, schema::event::kUnseenSwitch, {{schema::argument::kCpu, int32_t{255}}})
                    .event()),
            255);
  EXPECT_FALSE(AsUnseenSwitch(Made(kOwn, schema::event::kUnseenSwitch).event()));
}

// A recording of some tasks does not show every switch; one that was made without a filter does.
TEST(RecorderFactsTest, FiltersAreThoseThatWereGiven) {
  const auto with = [](std::string_view text) {
    return Made(kOwn, schema::event::kTrimmed,
                {{schema::argument::kFilters, fxt::StringRef::Inline(text)}});
  };
  EXPECT_TRUE(IsFiltered(with("--pid 1").event()));
  EXPECT_TRUE(IsFilteringTrim(with("--thread app").event()));
  EXPECT_FALSE(IsFiltered(with("").event()));
  EXPECT_FALSE(IsFilteringTrim(with("").event()));
  EXPECT_FALSE(IsFilteringTrim(Made(kOwn, schema::event::kTrimmed).event()));
}

TEST(RecorderFactsTest, ALinuxStateIsAnInstantOfSched) {
  using schema::category::kSched;
  EXPECT_TRUE(IsLinuxState(Made(kSched, schema::event::kLinuxState).event()));
  EXPECT_FALSE(IsLinuxState(Made(kOwn, schema::event::kLinuxState).event()));
  EXPECT_FALSE(IsLinuxState(
      Made(kSched, schema::event::kLinuxState, {}, fxt::EventType::kDurationBegin).event()));
}

}  // namespace
}  // namespace facts
