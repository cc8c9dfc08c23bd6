// SPDX-License-Identifier: BSD-2-Clause
// `fxt report --html` and `fxt diff --html` as a shell sees them.
#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "measure/store/summary_file.h"
#include "unit/compare/simulated_capture.h"
#include "unit/measure/trace_script.h"
#include "unit/support/json.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using comparison::testing::Simulator;
using comparison::testing::Work;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FxtPageTest : public testing::FxtCommandTest {
 protected:
  void SaveTrace(const std::string& name) const {
    measure::testing::TraceScript trace;
    trace.Name(7, "app").Name(8, "</script>");
    trace.Switch(0, 0, 0, "R", 7).Wake(10'000, 8, 7).Switch(50'000, 0, 7, "S", 8);
    trace.Wake(60'000, 7, 8).Switch(90'000, 0, 8, "S", 7).Switch(200'000, 0, 7, "S", 0);
    const auto bytes = trace.bytes();
    std::ofstream(Path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  }
  // Two sides whose worker differs by `factor` in its CPU time.
  void SaveSides(double factor) const {
    Work work;
    Work changed = work;
    changed.cpu_ms *= factor;
    const auto sides = Simulator(21).Sides({work}, {changed}, 5);
    for (const auto& [name, captures] : {std::pair("base", &sides.base), {"new", &sides.next}}) {
      std::filesystem::create_directories(Path(name));
      for (size_t i = 0; i < captures->size(); ++i) {
        std::ofstream(Path(name + ("/" + std::to_string(i)) + ".fxs"), std::ios::binary)
            << measure::EncodeSummary((*captures)[i]);
      }
    }
  }
  std::string Get(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static json DataOf(const std::string& page, const std::string& id) {
    const std::string begin = R"(<script type="application/json" id=")" + id + "\">";
    const size_t from = page.find(begin) + begin.size();
    return testing_support::ParseJson(page.substr(from, page.find("</script>", from) - from));
  }
};

TEST_F(FxtPageTest, ReportPageContainsItsJson) {
  SaveTrace("t.fxt");
  const auto result = Fxt({"report", Path("t.fxt"), "--json", "--html", Path("r.html")});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string page = Get("r.html");
  EXPECT_EQ(DataOf(page, "data"), testing_support::ParseJson(result.out));
  const json instances = DataOf(page, "instances");
  ASSERT_FALSE(instances.empty());
  EXPECT_EQ(instances[0]["length_ns"], 40'000);
}

TEST_F(FxtPageTest, DiffPageContainsItsJson) {
  SaveSides(2);
  const auto result =
      Fxt({"diff", Path("base"), Path("new"), "--json", "--fail", "--html", Path("d.html")});
  EXPECT_EQ(result.status, 3) << result.err;
  const std::string page = Get("d.html");
  const json data = DataOf(page, "data");
  EXPECT_EQ(data, testing_support::ParseJson(result.out));
  const json& first = data["findings"][0];
  EXPECT_EQ(first["text"]["metric"], "CPU time per wakeup");
  EXPECT_FALSE(first["histogram"]["base"].empty());
  const json& group = data["groups"][first["group_number"].get<size_t>()];
  EXPECT_EQ(group["thread"], "worker");
  EXPECT_GT(group["ms_per_second"]["new"]["running"], group["ms_per_second"]["base"]["running"]);
  EXPECT_FALSE(group["histograms"]["wakeup_latency"]["new"].empty());
  // Summaries have no picture.
  EXPECT_EQ(DataOf(page, "instances"), json::array());
}

TEST_F(FxtPageTest, HasThePermissionsOfTheTrace) {
  SaveTrace("t.fxt");
  ASSERT_EQ(chmod(Path("t.fxt").c_str(), 0600), 0);
  ASSERT_EQ(Fxt({"report", Path("t.fxt"), "--html", Path("r.html")}).status, 0);
  struct stat status = {};
  ASSERT_EQ(stat(Path("r.html").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(FxtPageTest, DoesNotOverwriteItsInput) {
  SaveTrace("t.fxt");
  const std::string before = Get("t.fxt");
  EXPECT_EQ(Fxt({"report", Path("t.fxt"), "--html", Path("t.fxt")}).status, 2);
  EXPECT_EQ(Get("t.fxt"), before);
  SaveSides(1);
  EXPECT_EQ(Fxt({"diff", Path("base"), Path("new"), "--html", Path("new/0.fxs")}).status, 2);
}

TEST_F(FxtPageTest, FailsIfThePageCannotBeWritten) {
  SaveTrace("t.fxt");
  const auto result = Fxt({"report", Path("t.fxt"), "--html", Path("no/r.html")});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("no/r.html"));
  EXPECT_EQ(result.out, "");
}

TEST_F(FxtPageTest, ReadsStandardInput) {
  SaveTrace("t.fxt");
  const auto result = Fxt({"report", "-", "--html", Path("r.html")}, Get("t.fxt"));
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(Get("r.html"), StartsWith("<!DOCTYPE html>"));
}

}  // namespace
}  // namespace tools
