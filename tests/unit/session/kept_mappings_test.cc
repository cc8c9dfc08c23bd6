// SPDX-License-Identifier: BSD-2-Clause
#include "session/kept_mappings.h"

#include <gtest/gtest.h>

#include "session/journal.h"

namespace session {
namespace {

class KeptMappingsTest : public ::testing::Test {
 protected:
  void Map(uint32_t tgid, uint64_t start, const char* file) {
    Journal journal;
    AppendMapping(1, tgid, {.start = start, .size = 0x1000, .file = file, .build_id = {}}, journal);
    kept_.Apply(*journal.Front());
  }
  std::vector<std::string> Files(uint32_t tgid) const {
    std::vector<std::string> files;
    for (const model::ExecutableMapping& mapping : kept_.Of(tgid)) files.push_back(mapping.file);
    return files;
  }

  KeptMappings kept_;
};

using Names = std::vector<std::string>;

TEST_F(KeptMappingsTest, ANewMappingReplacesOverlappingOnes) {
  Map(1, 0x1000, "a");
  Map(1, 0x3000, "b");
  Map(2, 0x1000, "c");
  Map(1, 0x1800, "d");
  EXPECT_EQ(Files(1), (Names{"b", "d"}));
  EXPECT_EQ(Files(2), (Names{"c"}));
  EXPECT_EQ(Files(3), Names{});
}

TEST_F(KeptMappingsTest, ExecAndExitOfTheLeaderDropMappings) {
  Map(1, 0x1000, "a");
  Map(2, 0x1000, "b");
  fxr_exec exec{};
  exec.header = {2, FXR_SIDE_EXEC, 0, 0, sizeof(exec)};
  exec.tid = exec.tgid = 1;
  kept_.Apply(exec.header);
  EXPECT_EQ(Files(1), Names{});
  fxr_exit exit{};
  exit.header = {3, FXR_SIDE_EXIT, 0, 0, sizeof(exit)};
  exit.tid = 9;
  exit.tgid = 2;
  kept_.Apply(exit.header);
  EXPECT_EQ(Files(2), (Names{"b"}));
  exit.tid = 2;
  kept_.Apply(exit.header);
  EXPECT_EQ(Files(2), Names{});
}

TEST_F(KeptMappingsTest, DropsMappingsOfTooManyProcesses) {
  for (uint32_t i = 0; i <= KeptMappings::kMaxProcesses; ++i) Map(100 + i, 0x1000, "x");
  EXPECT_EQ(Files(100), Names{});
  EXPECT_EQ(Files(100 + KeptMappings::kMaxProcesses), (Names{"x"}));
}

}  // namespace
}  // namespace session
