// SPDX-License-Identifier: BSD-2-Clause
// `fxt import` of output of other programs, as far as they are installed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "unit/support/json.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using testing_support::CommandResult;
using testing_support::RunShell;

class FxtImportLiveTest : public testing::FxtCommandTest {
 protected:
  static bool Has(const std::string& program) {
    return RunShell("command -v " + program + " >/dev/null").status == 0;
  }
  std::string Quoted(const std::string& name) const { return "'" + Path(name) + "'"; }

  // Imports the file without findings; the counts of durations, instants and counters match.
  void ExpectTaken(const std::string& file) const {
    const CommandResult imported = Fxt({"import", file, "-o", Path("out.fxt")});
    ASSERT_EQ(imported.status, 0) << imported.err;
    const CommandResult checked = Fxt({"check", Path("out.fxt")});
    EXPECT_EQ(checked.status, 0) << checked.out;
    std::ifstream in(file);
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    const nlohmann::json before = testing_support::ParseJson(text);
    const CommandResult back = Fxt({"json", Path("out.fxt"), "-o", "-"});
    const nlohmann::json after = testing_support::ParseJson(back.out);
    const auto count = [](const nlohmann::json& file_json, const std::string& phase) {
      const nlohmann::json& events = file_json.is_array() ? file_json : file_json.at("traceEvents");
      return std::count_if(events.begin(), events.end(), [&](const nlohmann::json& event) {
        return event.at("ph") == phase && event.contains("ts");
      });
    };
    EXPECT_GT(count(before, "X") + count(before, "B"), 0);
    for (const char* phase : {"X", "B", "i", "I", "C"}) {
      EXPECT_EQ(count(before, phase), count(after, phase)) << phase;
    }
  }
};

TEST_F(FxtImportLiveTest, Clang) {
  if (!Has("clang++")) GTEST_SKIP() << "no clang++";
  std::ofstream(Path("a.cc"))
      << "#include <string>\nint f() { return std::string(3, 'x').size(); }\n";
  const CommandResult made =
      RunShell("clang++ -ftime-trace -c " + Quoted("a.cc") + " -o " + Quoted("a.o"));
  if (made.status != 0) GTEST_SKIP() << made.err;
  ExpectTaken(Path("a.json"));
}

TEST_F(FxtImportLiveTest, Node) {
  if (!Has("node")) GTEST_SKIP() << "no node";
  const CommandResult made = RunShell("cd " + Quoted(".") +
                                      " && node --trace-event-categories v8,node -e "
                                      "'setTimeout(() => require(\"fs\").statSync(\"/\"), 2)'");
  if (made.status != 0) GTEST_SKIP() << made.err;
  ExpectTaken(Path("node_trace.1.log"));
}

TEST_F(FxtImportLiveTest, PerfSamples) {
  if (!Has("perf")) GTEST_SKIP() << "no perf";
  const CommandResult made = RunShell("cd " + Quoted(".") +
                                      " && perf record -q -e cpu-clock -o p.data -- true && perf "
                                      "data convert --to-json p.json -i p.data");
  if (made.status != 0) GTEST_SKIP() << made.err;
  std::ifstream in(Path("p.json"));
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const size_t samples = testing_support::ParseJson(text)["samples"].size();
  if (samples == 0) GTEST_SKIP() << "perf took no sample";
  const CommandResult imported = Fxt({"import", Path("p.json"), "-o", Path("out.fxt")});
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_NE(imported.err.find(fmt::format(" {} samples", samples)), std::string::npos)
      << imported.err;
  EXPECT_EQ(imported.err.find("without a time"), std::string::npos) << imported.err;
  const CommandResult back = Fxt({"json", Path("out.fxt"), "-o", "-"});
  EXPECT_EQ(testing_support::ParseJson(back.out)["samples"].size(), samples);
  EXPECT_EQ(Fxt({"check", Path("out.fxt")}).status, 0);
}

}  // namespace
}  // namespace tools
