// SPDX-License-Identifier: BSD-2-Clause
#include "capture/tracefs/tracefs.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace capture {
namespace {

namespace fs = std::filesystem;

// A folder with the layout of tracefs.
class TracefsTest : public ::testing::Test {
 protected:
  TracefsTest() {
    Add("sched", "sched_switch", true);
    Add("sched", "sched_waking", true);
    Add("kmem", "mm_page_alloc", true);
    Add("ftrace", "function", true);
    Add("sched", "without_a_number", false);
  }

  void Add(const std::string& system, const std::string& name, bool has_id) {
    const fs::path folder = root_ / "events" / system / name;
    fs::create_directories(folder);
    std::ofstream(root_ / "events" / system / "enable") << 0;
    if (has_id) std::ofstream(folder / "id") << 7;
    std::ofstream(folder / "format")
        << "name: " << name
        << "\nID: 7\nformat:\n"
           "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
           "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
           "\tfield:int order;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";
  }

  const testing_support::TempFolder folder_;
  const fs::path& root_ = folder_.path();
};

TEST_F(TracefsTest, ListsRecordableTracepoints) {
  const Tracefs tracefs(root_.string());
  EXPECT_EQ(tracefs.Names(), (std::vector<std::string>{"kmem:mm_page_alloc", "sched:sched_switch",
                                                       "sched:sched_waking"}));
}

TEST_F(TracefsTest, MatchesShellPatterns) {
  const auto names = Tracefs(root_.string()).Names();
  EXPECT_EQ(Tracefs::Match(names, "sched:*").size(), 2u);
  EXPECT_EQ(Tracefs::Match(names, "sched:sched_swi?ch").size(), 1u);
  EXPECT_EQ(Tracefs::Match(names, "*:*").size(), 3u);
  EXPECT_TRUE(Tracefs::Match(names, "sched").empty());
}

TEST_F(TracefsTest, SuggestsTheNearestNames) {
  const auto names = Tracefs(root_.string()).Names();
  const util::Error wrong = Tracefs::NoSuch(names, "sched:sched_wakig");
  EXPECT_NE(wrong.message.find("sched:sched_wakig"), std::string::npos);
  EXPECT_LT(wrong.hint.find("sched:sched_waking"), wrong.hint.find("kmem:mm_page_alloc"));
  EXPECT_NE(Tracefs::NoSuch(names, "mm_page_alloc").hint.find("nearest are kmem:mm_page_alloc"),
            std::string::npos);
}

TEST_F(TracefsTest, ReadsFormats) {
  const auto format = Tracefs(root_.string()).Format("kmem:mm_page_alloc");
  ASSERT_TRUE(format.ok()) << format.error().message;
  EXPECT_EQ(format->system, "kmem");
  EXPECT_EQ(format->id, 7u);
  EXPECT_FALSE(Tracefs(root_.string()).Format("kmem:nothing").ok());
}

}  // namespace
}  // namespace capture
