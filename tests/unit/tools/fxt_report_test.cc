// SPDX-License-Identifier: BSD-2-Clause
// `fxt report` of a part of a trace, as a shell sees it.
#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "unit/measure/trace_script.h"
#include "unit/support/json.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr uint64_t kStart = 5'000'000'000;

class FxtReportTest : public testing::FxtCommandTest {
 protected:
  // "app" is woken at 40 us and waits 50 us behind "hog".
  void SetUp() override {
    FxtCommandTest::SetUp();
    measure::testing::TraceScript trace;
    trace.Name(7, "app").Name(8, "hog");
    trace.Switch(kStart, 0, 0, "R", 7).Switch(kStart + 10'000, 0, 7, "S", 8);
    trace.Wake(kStart + 40'000, 7, 8).Switch(kStart + 90'000, 0, 8, "R+", 7);
    trace.Switch(kStart + 95'000, 0, 7, "S", 8).Switch(kStart + 120'000, 0, 8, "S", 0);
    const auto bytes = trace.bytes();
    std::ofstream(Path("t.fxt"), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  }
  json Report(const std::vector<std::string>& options, const std::string& file = "t.fxt") const {
    std::vector<std::string> words = {"report", "--json", Path(file)};
    words.insert(words.end(), options.begin(), options.end());
    const auto result = Fxt(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return testing_support::ParseJson(result.out);
  }
  static json GroupOf(const json& report, const std::string& process) {
    for (const json& group : report["groups"]) {
      if (group["process"] == process) return group;
    }
    return {};
  }
};

TEST_F(FxtReportTest, IntervalHasItsOwnTimes) {
  const json part = Report({"--from", "30us", "--to", "100us"});
  EXPECT_EQ(part["begin_ns"], kStart + 30'000);
  EXPECT_EQ(part["length_ns"], 70'000);
  const json app = GroupOf(part, "app");
  EXPECT_EQ(app["share_ns"]["running"], 5'000);
  EXPECT_EQ(app["share_ns"]["runnable_wakeup"], 50'000);
  EXPECT_EQ(app["share_ns"]["sleeping"], 10'000 + 5'000);
  EXPECT_EQ(GroupOf(part, "hog")["share_ns"]["running"], 60'000 + 5'000);
  // That of "app", and of "hog" while "app" ran.
  ASSERT_EQ(part["worst_waits"].size(), 2u);
  EXPECT_EQ(part["worst_waits"][0]["length_ns"], 50'000);
  EXPECT_EQ(part["worst_waits"][1]["length_ns"], 5'000);
  EXPECT_EQ(part["strips"]["begin_ns"], kStart + 30'000);
}

TEST_F(FxtReportTest, LongestWaitsAreNotCutByAnEdge) {
  const json part = Report({"--from", "60us", "--to", "80us"});
  EXPECT_EQ(part["length_ns"], 20'000);
  const json app = GroupOf(part, "app");
  EXPECT_EQ(app["share_ns"]["runnable_wakeup"], 20'000);
  EXPECT_EQ(app["wakeups"], 0);
  EXPECT_TRUE(part["worst_waits"].empty());
  EXPECT_EQ(part["machine"]["by_cpu"][0]["busy_ns"], 20'000);
}

TEST_F(FxtReportTest, HasEveryMetricByName) {
  const json app = GroupOf(Report({}), "app")["metrics"];
  const json hog = GroupOf(Report({}), "hog")["metrics"];
  // 10 and 5 us of 120, and one wakeup.
  EXPECT_DOUBLE_EQ(app["cpu_time"]["value"], 125);
  EXPECT_EQ(app["cpu_time"]["per_wakeup"], 15'000);
  EXPECT_EQ(app["wakeup_latency"]["per_wakeup"], 50'000);
  EXPECT_DOUBLE_EQ(hog["preempted_wait"]["value"], 1000 * 5.0 / 120);
  EXPECT_TRUE(hog["preempted_wait"]["per_wakeup"].is_null());
  EXPECT_EQ(app["slice"]["value"], 7'500);
  for (const char* name : {"cpu_time", "slice", "wakeup_latency", "preempted_wait", "sleep",
                           "blocked", "switches", "wakeups", "migrations", "forks", "irq_time",
                           "softirq_time", "syscall_time", "inversion", "unconserved"}) {
    EXPECT_TRUE(app.contains(name)) << name;
  }
  const json all = Report({})["metrics"];
  EXPECT_TRUE(all["elapsed"]["value"].is_null());
  EXPECT_DOUBLE_EQ(all["machine"]["value"], 1000);
  const json slices = GroupOf(Report({}), "app")["times"]["slice"];
  EXPECT_NEAR(slices["min_ns"], 5'000, 40);
  EXPECT_EQ(slices["mean_ns"], 7'500);
  EXPECT_NEAR(slices["stddev_ns"], 5'000 / std::sqrt(2), 60);
  EXPECT_EQ(slices["max_ns"], 10'000);
}

TEST_F(FxtReportTest, JsonIsValidByTheSchema) {
  const auto schema = std::filesystem::absolute("docs/report-schema.json");
  const std::string check =
      "import json, jsonschema, sys\n"
      "validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))\n"
      "for line in sys.stdin: validator.validate(json.load(open(line.rstrip('\\n'))))";
  if (!std::filesystem::exists(schema) ||
      testing_support::RunCommand({"python3", "-c", "import jsonschema"}, "").status != 0) {
    GTEST_SKIP() << "no python3-jsonschema on this machine, or not run in the source tree";
  }
  measure::testing::TraceScript odd;
  odd.Name(7, "\x1b[31m\n\"\xff").Switch(0, 0, 0, "R", 7);
  const auto bytes = odd.bytes();
  std::ofstream(Path("odd.fxt"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  ASSERT_EQ(Fxt({"summarize", Path("t.fxt"), "-o", Path("t.fxs")}).status, 0);
  std::string files;
  for (const char* name : {"t.fxt", "odd.fxt", "t.fxs"}) {
    const std::string answer = Path(std::string(name) + ".json");
    std::ofstream(answer) << Fxt({"report", "--json", Path(name)}).out;
    files += answer + "\n";
  }
  const auto checked = testing_support::RunCommand({"python3", "-c", check, schema}, files);
  EXPECT_EQ(checked.status, 0) << checked.err;
}

TEST_F(FxtReportTest, TimesAreRelativeOrOfTheTrace) {
  const std::string from = "@" + std::to_string(kStart + 30'000);
  const std::string to = "@" + std::to_string(kStart + 100'000);
  EXPECT_EQ(Report({"--from", from, "--to", to}), Report({"--from", "30us", "--to", "100us"}));
  EXPECT_EQ(Report({"--from", "@0", "--to", "1s"}), Report({}));
}

TEST_F(FxtReportTest, NotesAnEmptyInterval) {
  const json part = Report({"--from", "1s", "--to", "2s"});
  EXPECT_EQ(part["length_ns"], 0);
  EXPECT_THAT(part["notes"].dump(), HasSubstr("nothing in that time"));
}

TEST_F(FxtReportTest, SummaryHasNoIntervals) {
  ASSERT_EQ(Fxt({"summarize", Path("t.fxt"), "-o", Path("t.fxs")}).status, 0);
  const json whole = Report({"--from", "30us"}, "t.fxs");
  EXPECT_EQ(whole["length_ns"], 120'000);
  EXPECT_THAT(whole["notes"].dump(), HasSubstr("a summary covers its whole capture"));
}

TEST_F(FxtReportTest, SummarizeReportsItsOutput) {
  const auto result = Fxt({"summarize", Path("t.fxt"), "-o", Path("s.fxs")});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("1 capture of"));
  EXPECT_THAT(result.err, HasSubstr("2 groups"));
  EXPECT_THAT(result.err, HasSubstr("written to " + Path("s.fxs")));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(Report({})["groups"], Report({}, "s.fxs")["groups"]);
}

// Traces of other tools may lack all data of a report.
TEST_F(FxtReportTest, SpansAloneGiveNoTimes) {
  measure::testing::TraceScript trace;
  trace.Name(7, "app").Span(kStart, kStart + 500, 7, "game", "frame");
  const auto bytes = trace.bytes();
  std::ofstream(Path("spans.fxt"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  const auto text = Fxt({"report", Path("spans.fxt")});
  EXPECT_EQ(text.status, 0);
  EXPECT_THAT(text.out, HasSubstr("note: there are no context switches"));
  EXPECT_THAT(text.out, ::testing::Not(HasSubstr("busy")));
  EXPECT_THAT(Report({}, "spans.fxt")["notes"].dump(), HasSubstr("no context switches"));
  EXPECT_THAT(Fxt({"summarize", Path("spans.fxt"), "-o", Path("s.fxs")}).err,
              HasSubstr("note: there are no context switches"));
  const auto diff = Fxt({"diff", Path("spans.fxt"), Path("spans.fxt")});
  EXPECT_NE(diff.status, 0);
  EXPECT_THAT(diff.err, HasSubstr("there are no context switches to compare"));
}

TEST_F(FxtReportTest, RejectsEndBeforeBegin) {
  const auto result = Fxt({"report", Path("t.fxt"), "--from", "2s", "--to", "1s"});
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.err, HasSubstr("--from 2s is after --to 1s"));
}

}  // namespace
}  // namespace tools
