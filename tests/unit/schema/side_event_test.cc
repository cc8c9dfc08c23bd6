// SPDX-License-Identifier: BSD-2-Clause
#include "schema/side_event.h"

#include <gtest/gtest.h>

#include <string>

namespace schema {
namespace {

std::string NameOf(const fxr_side_header& header) {
  return VisitSideEvent(
      header,
      Overloaded{[](const fxr_task&) { return "task"; }, [](const fxr_exec&) { return "exec"; },
                 [](const fxr_rename&) { return "rename"; }, [](const fxr_exit&) { return "exit"; },
                 [](const fxr_log&) { return "log"; }, [](const fxr_side_slot&) { return "slot"; },
                 [](const fxr_cgroup&) { return "cgroup"; }, [](const fxr_long&) { return "long"; },
                 [](const fxr_side_header&) { return "header"; }});
}

template <typename Event>
std::string Visit(fxr_side_type type, size_t size = sizeof(Event)) {
  Event event{};
  auto& header = reinterpret_cast<fxr_side_header&>(event);
  header.type = static_cast<fxr_u8>(type);
  header.size = static_cast<fxr_u32>(size);
  return NameOf(header);
}

TEST(VisitSideEventTest, PassesEachTypeAsItsStruct) {
  EXPECT_EQ(Visit<fxr_task>(FXR_SIDE_FORK), "task");
  EXPECT_EQ(Visit<fxr_exec>(FXR_SIDE_EXEC), "exec");
  EXPECT_EQ(Visit<fxr_rename>(FXR_SIDE_RENAME), "rename");
  EXPECT_EQ(Visit<fxr_exit>(FXR_SIDE_EXIT), "exit");
  EXPECT_EQ(Visit<fxr_log>(FXR_SIDE_LOG), "log");
  EXPECT_EQ(Visit<fxr_side_slot>(FXR_SIDE_SLOT), "slot");
  EXPECT_EQ(Visit<fxr_cgroup>(FXR_SIDE_CGROUP), "cgroup");
  EXPECT_EQ(Visit<fxr_long>(FXR_SIDE_LONG), "long");
}

TEST(VisitSideEventTest, PassesTheHeaderOfPokesAndUnknownTypes) {
  EXPECT_EQ(Visit<fxr_side_header>(FXR_SIDE_POKE), "header");
  EXPECT_EQ(Visit<fxr_task>(static_cast<fxr_side_type>(199)), "header");
}

TEST(VisitSideEventTest, PassesTheHeaderOfATruncatedEvent) {
  EXPECT_EQ(Visit<fxr_task>(FXR_SIDE_FORK, sizeof(fxr_task) - 1), "header");
  EXPECT_EQ(Visit<fxr_long>(FXR_SIDE_LONG, sizeof(fxr_side_header)), "header");
}

}  // namespace
}  // namespace schema
