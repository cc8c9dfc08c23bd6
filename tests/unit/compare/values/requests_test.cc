// SPDX-License-Identifier: BSD-2-Clause
#include "compare/values/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace comparison {
namespace {

using ::testing::ElementsAre;

// A capture with a request of each name.
measure::Capture With(std::initializer_list<const char*> names) {
  measure::Capture capture;
  for (const char* name : names) {
    capture.requests[name].times.AddWhole({.begin = 0, .length = 100, .thread = 7, .cpu = 0});
  }
  return capture;
}

std::vector<std::string> NamesOf(const std::vector<measure::Capture>& sides, size_t bases) {
  std::vector<const measure::Capture*> captures;
  for (const measure::Capture& capture : sides) captures.push_back(&capture);
  const SharedRequests requests(captures, bases);
  std::vector<std::string> names;
  for (const SharedRequest& request : requests.all()) {
    uint64_t count = 0;
    for (const auto* stats : request.at) count += stats == nullptr ? 0 : stats->times.whole.count();
    names.push_back(request.name + " " + std::to_string(count));
  }
  return names;
}

TEST(RequestsTest, NamesThatAllCapturesHaveAreApart) {
  EXPECT_THAT(NamesOf({With({"op 1", "op 2", "x"}), With({"op 1", "op 2"})}, 1),
              ElementsAre("op 1 2", "op 2 2", "x 1"));
}

TEST(RequestsTest, NamesOfFewCapturesThatDifferInDigitsAreOne) {
  EXPECT_THAT(NamesOf({With({"user 1", "user 2"}), With({"user 1", "user 3"}), With({"user 4"}),
                       With({"user 5"}), With({"user 1", "user #"}), With({"user 9"})},
                      3),
              ElementsAre("user # 9"));
}

TEST(RequestsTest, OnesThatOnlyOneSideHasStay) {
  EXPECT_THAT(NamesOf({With({"op 1"}), With({"op 1", "op 2"})}, 1),
              ElementsAre("op 1 2", "op 2 1"));
}

TEST(RequestsTest, OthersAreNotCompared) {
  EXPECT_THAT(NamesOf({With({"a", "(other)"}), With({"a"})}, 1), ElementsAre("a 2"));
}

}  // namespace
}  // namespace comparison
