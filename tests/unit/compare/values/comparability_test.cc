// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/comparability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "unit/compare/simulated_capture.h"

namespace comparison {
namespace {

using measure::Capture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Simulator;
using testing::Work;

// Three captures a side, the new ones changed.
Comparability LookAt(
    const std::function<void(Capture&)>& change,
    const std::function<void(Capture&)>& all = [](Capture&) {}) {
  DiffInput input = Simulator(5).Sides({Work()}, {Work()}, 3);
  std::vector<const Capture*> captures;
  for (auto* side : {&input.base, &input.next}) {
    for (Capture& capture : *side) {
      all(capture);
      if (side == &input.next) change(capture);
      captures.push_back(&capture);
    }
  }
  auto found = CheckComparability(captures, input.base.size());
  EXPECT_TRUE(found.ok());
  return found.ok() ? *found : Comparability();
}

TEST(ComparabilityTest, CapturesOfOneKindHaveNoNotes) {
  const Comparability same = LookAt([](Capture&) {});
  EXPECT_TRUE(same.ok);
  EXPECT_THAT(same.notes, IsEmpty());
}

TEST(ComparabilityTest, NotesDifferentMachines) {
  const Comparability kernel = LookAt([](Capture& capture) { capture.kernel = "6.12.0"; });
  EXPECT_FALSE(kernel.ok);
  EXPECT_THAT(kernel.notes, ElementsAre(HasSubstr("6.12.0 in the new captures")));
  EXPECT_THAT(LookAt([](Capture& capture) { capture.cpus = 64; }).notes,
              ElementsAre(HasSubstr("64 in the new captures; waits and CPU time")));
  EXPECT_THAT(LookAt([](Capture& capture) { capture.host = "elsewhere"; }).notes,
              ElementsAre(HasSubstr("elsewhere in the new captures")));
}

TEST(ComparabilityTest, NotesDifferentCategoriesAndFilters) {
  EXPECT_THAT(LookAt([](Capture& capture) { capture.filters = "pid=5"; }).notes,
              ElementsAre(HasSubstr("filters: none in the base, pid=5 in the new")));
  const Comparability categories =
      LookAt([](Capture& capture) { capture.categories = "sched,irq"; },
             [](Capture& capture) { capture.categories = "sched"; });
  EXPECT_THAT(categories.notes, ElementsAre(HasSubstr("categories: sched in the base")));
  EXPECT_FALSE(categories.irq);
  EXPECT_FALSE(categories.syscall);
}

TEST(ComparabilityTest, NotesLossesAndRejectsThemAboveOnePercent) {
  bool second = false;
  const Comparability few =
      LookAt([&](Capture& capture) { capture.lost_events = std::exchange(second, true) ? 0 : 1; });
  EXPECT_TRUE(few.ok);
  EXPECT_THAT(few.notes, ElementsAre(HasSubstr("1 event was lost")));
  const Comparability lossy = LookAt([](Capture& capture) { capture.lost_events = 1'000'000; });
  EXPECT_FALSE(lossy.ok);
  EXPECT_THAT(lossy.notes,
              ElementsAre(HasSubstr("were lost"), HasSubstr("were lost"), HasSubstr("were lost")));
}

TEST(ComparabilityTest, NotesOnceWhatAllCapturesLack) {
  const auto nameless = [](Capture& capture) {
    for (measure::Group& group : capture.groups) group.name = {};
  };
  const auto none = [](Capture&) {};
  const Comparability all = LookAt(none, nameless);
  EXPECT_FALSE(all.ok);
  EXPECT_THAT(all.notes, ElementsAre(HasSubstr("threads and processes have no names")));
  EXPECT_THAT(LookAt(nameless).notes,
              ElementsAre(HasSubstr("no names"), HasSubstr("no names"), HasSubstr("no names")));
}

}  // namespace
}  // namespace comparison
