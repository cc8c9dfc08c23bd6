// SPDX-License-Identifier: BSD-2-Clause
// `fxt import` of JSON and `fxt merge` at the command line.
#include <gtest/gtest.h>

#include <fstream>

#include "unit/import/trace_event/example_json.h"
#include "unit/support/json.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using testing_support::CommandResult;

class FxtMergeTest : public testing::FxtCommandTest {
 protected:
  std::string File(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name)) << text;
    return Path(name);
  }
  // Events other than metadata, by name.
  std::map<std::string, nlohmann::json> EventsOf(const std::string& trace) const {
    const CommandResult result = Fxt({"json", trace, "-o", "-"});
    EXPECT_EQ(result.status, 0) << result.err;
    std::map<std::string, nlohmann::json> events;
    const nlohmann::json parsed = testing_support::ParseJson(result.out);
    for (const nlohmann::json& event : parsed["traceEvents"]) {
      if (event["ph"] != "M") events[event["name"]] = event;
    }
    return events;
  }
  void ExpectClean(const std::string& trace) const {
    const CommandResult result = Fxt({"check", trace});
    EXPECT_EQ(result.status, 0) << result.out;
  }
};

TEST_F(FxtMergeTest, DetectsTheKindOfInput) {
  const std::string json = File("a", importer::testing::EveryPhase());
  const std::string text = File("b", importer::testing::FtraceText());
  for (const std::string& file : {json, text}) {
    const CommandResult result = Fxt({"import", file, "-o", Path("out.fxt")});
    EXPECT_EQ(result.status, 0) << result.err;
    ExpectClean(Path("out.fxt"));
  }
  const CommandResult piped =
      Fxt({"import", "-", "-o", Path("piped.fxt")}, importer::testing::EveryPhase());
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_NE(piped.err.find("36 events"), std::string::npos) << piped.err;
  const CommandResult wrong = Fxt({"import", File("c", "hello"), "-o", Path("none.fxt")});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_FALSE(std::filesystem::exists(Path("none.fxt")));
}

TEST_F(FxtMergeTest, AlignsByMarkersAndRenumbersTasks) {
  const std::string a = File("a.json", R"([
    {"ph":"c","name":"clock_sync","ts":100,"pid":1,"tid":1,"args":{"sync_id":"s"}},
    {"ph":"i","name":"first","ts":110,"pid":1,"tid":1}])");
  const std::string b = File("b.json", R"([
    {"ph":"c","name":"clock_sync","ts":5,"pid":1,"tid":1,"args":{"sync_id":"s"}},
    {"ph":"X","name":"second","ts":10,"dur":2,"pid":1,"tid":1}])");
  const std::string out = Path("all.fxt");
  const CommandResult same = Fxt({"merge", a, b, "-o", out});
  ASSERT_EQ(same.status, 0) << same.err;
  ExpectClean(out);
  auto events = EventsOf(out);
  EXPECT_EQ(events["second"]["ts"], 105.0);
  EXPECT_EQ(events["second"]["dur"], 2.0);
  EXPECT_EQ(events["second"]["tid"], events["first"]["tid"]);
  const CommandResult apart = Fxt({"merge", a, b, "-o", out, "--apart", b});
  ASSERT_EQ(apart.status, 0) << apart.err;
  ExpectClean(out);
  events = EventsOf(out);
  EXPECT_NE(events["second"]["tid"], events["first"]["tid"]);
  EXPECT_NE(events["second"]["pid"], events["first"]["pid"]);
}

TEST_F(FxtMergeTest, AlignsSpansWithRuns) {
  // The thread runs from 100 to 200 and from 1000 to 1050 microseconds.
  const std::string runs =
      File("runs.txt",
           "# tracer: nop\n"
           " <idle>-0 [000] 0.000100: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 "
           "prev_state=R ==> next_comm=app next_pid=7 next_prio=120\n"
           " app-7 [000] 0.000200: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 "
           "prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120\n"
           " <idle>-0 [000] 0.001000: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 "
           "prev_state=R ==> next_comm=app next_pid=7 next_prio=120\n"
           " app-7 [000] 0.001050: sched_switch: prev_comm=app prev_pid=7 prev_prio=120 "
           "prev_state=S ==> next_comm=swapper next_pid=0 next_prio=120\n");
  ASSERT_EQ(Fxt({"import", runs, "-o", Path("runs.fxt")}).status, 0);
  const std::string app = File("app.json", R"([
    {"ph":"X","name":"one","ts":5100,"dur":100,"pid":7,"tid":7},
    {"ph":"X","name":"two","ts":6001,"dur":48,"pid":7,"tid":7}])");
  const CommandResult result =
      Fxt({"merge", Path("runs.fxt"), app, "-o", Path("all.fxt"), "--align", app});
  ASSERT_EQ(result.status, 0) << result.err;
  ExpectClean(Path("all.fxt"));
  EXPECT_EQ(EventsOf(Path("all.fxt"))["one"]["ts"], 100.0) << result.err;
  EXPECT_NE(result.err.find("100.0% of 4 moments"), std::string::npos) << result.err;
}

TEST_F(FxtMergeTest, DeclaresAGapBetweenTwoRecordings) {
  const auto runs = [](int second, const char* name, int tid) {
    return fmt::format(
        "# tracer: nop\n"
        " <idle>-0 [000] {0}.000100: sched_switch: prev_comm=swapper prev_pid=0 prev_prio=120 "
        "prev_state=R ==> next_comm={1} next_pid={2} next_prio=120\n"
        " {1}-{2} [000] {0}.000200: sched_switch: prev_comm={1} prev_pid={2} prev_prio=120 "
        "prev_state=S ==> next_comm=other next_pid=99 next_prio=120\n",
        second, name, tid);
  };
  for (const auto& [file, text] :
       {std::pair("a", runs(1, "first", 7)), {"b", runs(5, "second", 8)}}) {
    ASSERT_EQ(Fxt({"import", File(file, text), "-o", Path(std::string(file) + ".fxt")}).status, 0);
  }
  const std::string out = Path("all.fxt");
  // In any order of arguments.
  ASSERT_EQ(Fxt({"merge", Path("b.fxt"), Path("a.fxt"), "-o", out}).status, 0);
  ExpectClean(out);
  const CommandResult dump = Fxt({"dump", "--json", "--type", "instant", out});
  EXPECT_NE(dump.out.find("lost_events"), std::string::npos) << dump.out;
  EXPECT_EQ(dump.out.find("lost_events"), dump.out.rfind("lost_events")) << dump.out;
  EXPECT_NE(dump.out.find("5000100000"), std::string::npos) << dump.out;
}

TEST_F(FxtMergeTest, AppliesOffsetsAndRejectsWrongOptions) {
  const std::string a = File("a.json", R"([{"ph":"i","name":"x","ts":100,"pid":1,"tid":1}])");
  const std::string b = File("b.json", R"([{"ph":"i","name":"y","ts":100,"pid":1,"tid":1}])");
  const std::string out = Path("all.fxt");
  ASSERT_EQ(Fxt({"merge", a, b, "-o", out, "--offset", b + "=-20us"}).status, 0);
  EXPECT_EQ(EventsOf(out)["y"]["ts"], 80.0);
  EXPECT_EQ(Fxt({"merge", a, b, "-o", out, "--offset", "c=1ms"}).status, 2);
  EXPECT_EQ(Fxt({"merge", a, b, "-o", out, "--clock", b + "=tai"}).status, 2);
  EXPECT_EQ(Fxt({"merge", a, b, "-o", out, "--clock", b + "=monotonic"}).status, 2);
  EXPECT_EQ(Fxt({"merge", a, b, "-o", out, "--align", b}).status, 2);
  EXPECT_EQ(Fxt({"merge", a, File("c", "hello"), "-o", out}).status, 2);
}

}  // namespace
}  // namespace tools
