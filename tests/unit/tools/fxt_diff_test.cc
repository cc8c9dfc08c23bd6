// SPDX-License-Identifier: BSD-2-Clause
// `fxt diff` as a shell sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "measure/store/summary_file.h"
#include "unit/analyze/recording_parts.h"
#include "unit/compare/simulated_capture.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using comparison::testing::Simulator;
using comparison::testing::Work;
using nlohmann::json;
using ::testing::HasSubstr;

class FxtDiffTest : public testing::FxtCommandTest {
 protected:
  // Summaries base/N.fxs and new/N.fxs of a worker that needs `factor` of the CPU time.
  void Save(double factor, size_t count = 5, const std::string& thread = "worker") {
    Work work;
    work.thread = thread;
    Work changed = work;
    changed.cpu_ms *= factor;
    auto sides = Simulator(21).Sides({work}, {changed}, count);
    SaveSide("base", sides.base);
    SaveSide("new", sides.next);
  }
  void SaveSide(const std::string& side, const std::vector<measure::Capture>& captures) {
    std::filesystem::create_directories(Path(side));
    for (size_t i = 0; i < captures.size(); ++i) {
      std::ofstream(Path(side + "/" + std::to_string(i) + ".fxs"), std::ios::binary)
          << measure::EncodeSummary(captures[i]);
    }
  }
  // Rows that only some captures have: system calls, handlers, and a command from its start to its
  // end.
  void SaveEverything(size_t count) {
    Work work;
    work.of_command = true;
    Work changed = work;
    changed.cpu_ms *= 3;
    auto sides = Simulator(5).Sides({work}, {changed}, count);
    for (auto* side : {&sides.base, &sides.next}) {
      for (measure::Capture& capture : *side) {
        capture.elapsed_ns = capture.length();
        capture.by_cpu = {{capture.length() / 2, capture.length() / 2, 0}};
        for (measure::Distribution* times :
             {&capture.groups[0].syscalls["read"], &capture.handlers["irq # disk"],
              &capture.handlers["softirq RCU"]}) {
          times->AddWhole({.begin = 5, .length = 40'000'000, .thread = 7, .cpu = 0});
        }
      }
    }
    SaveSide("base", sides.base);
    SaveSide("new", sides.next);
  }
  std::string Text(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(FxtDiffTest, NamesWhatGotWorse) {
  Save(2);
  const auto result = Fxt({"diff", Path("base"), Path("new")});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(" 1. worse  app/worker: CPU time"));
  EXPECT_THAT(result.out,
              HasSubstr("5 captures of 3.00 s against 5 captures of 3.00 s, interleaved"));
  EXPECT_THAT(result.out, HasSubstr("n = 5 and 5"));
  EXPECT_THAT(result.out, HasSubstr("longest: "));
}

TEST_F(FxtDiffTest, FindsNothingInEqualCaptures) {
  Save(1);
  const auto result = Fxt({"diff", "--fail", Path("base"), Path("new")});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("nothing changed by 10% or more ("));
}

TEST_F(FxtDiffTest, FailExitsWithThreeAndWritesTheFilesBefore) {
  Save(2);
  const auto result = Fxt({"diff", Path("base"), Path("new"), "--fail", "--markdown", Path("d.md"),
                           "--junit", Path("d.xml")});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(Text("d.md"), HasSubstr("| 1 | worse | app/worker | CPU time per wakeup |"));
  EXPECT_THAT(Text("d.xml"), HasSubstr("<failure message=\"worse: "));
  Save(0.4);
  EXPECT_EQ(Fxt({"diff", Path("base"), Path("new"), "--fail"}).status, 0);
}

TEST_F(FxtDiffTest, ListsOfFilesAreSides) {
  Save(2, 3);
  const auto result = Fxt({"diff", "--base", Path("base/0.fxs"), Path("base/1.fxs"),
                           Path("base/2.fxs"), "--new", Path("new"), "--fail"});
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_EQ(Fxt({"diff", Path("base"), Path("new"), "--fail"}).out, result.out);
}

TEST_F(FxtDiffTest, TooFewCapturesAreUnconfirmed) {
  Save(4, 2);
  const auto result = Fxt({"diff", "--fail", "--json", Path("base"), Path("new")});
  EXPECT_EQ(result.status, 0);
  const json report = json::parse(result.out);
  EXPECT_TRUE(report["findings"].empty());
  ASSERT_FALSE(report["unconfirmed"].empty());
  EXPECT_EQ(report["unconfirmed"][0]["verdict"], "worse");
  for (const json& row : report["rows"]) {
    EXPECT_THAT(row["verdict"], ::testing::AnyOf("unchanged", "cannot tell"));
  }
  EXPECT_THAT(Fxt({"diff", Path("base/0.fxs"), Path("new/0.fxs")}).out, HasSubstr("unconfirmed"));
}

TEST_F(FxtDiffTest, TenFindingsAreListedAndTheOthersCounted) {
  std::vector<Work> before;
  std::vector<Work> after;
  for (int i = 0; i < 12; ++i) {
    Work work;
    work.thread = std::string(1, static_cast<char>('a' + i));
    work.cpu_ms = 60;
    before.push_back(work);
    work.cpu_ms *= 3;
    after.push_back(work);
  }
  const auto sides = Simulator(4).Sides(before, after, 5);
  SaveSide("base", sides.base);
  SaveSide("new", sides.next);
  const auto ten = Fxt({"diff", Path("base"), Path("new"), "--markdown", Path("d.md")});
  EXPECT_THAT(ten.out, HasSubstr("\n10. worse"));
  EXPECT_THAT(ten.out, ::testing::Not(HasSubstr("\n11. ")));
  EXPECT_THAT(ten.out, HasSubstr("and 2 more (--top 0)\n"));
  EXPECT_THAT(Text("d.md"), ::testing::Not(HasSubstr("| 11 |")));
  EXPECT_THAT(Fxt({"diff", Path("base"), Path("new"), "--top", "0"}).out, HasSubstr("\n12. worse"));
  const json report = json::parse(Fxt({"diff", "--json", Path("base"), Path("new")}).out);
  EXPECT_EQ(report["findings"].size(), 12U);
}

// If an output file cannot be written, standard output is empty, and the exit status is not that of
// a regression.
TEST_F(FxtDiffTest, FailsIfTheOutputCannotBeWritten) {
  Save(2, 3);
  for (const char* option : {"--html", "--markdown", "--junit"}) {
    for (const std::string& path : {Path("no/such/folder/d"), std::string("/dev/full")}) {
      const auto result = Fxt({"diff", "--fail", Path("base"), Path("new"), option, path});
      EXPECT_EQ(result.status, 2) << option << result.err;
      EXPECT_EQ(result.out, "") << option;
      EXPECT_THAT(result.err, HasSubstr(path));
    }
  }
}

TEST_F(FxtDiffTest, JsonHasTheFieldsOfTheSchema) {
  Save(2);
  const auto result = Fxt({"diff", "--json", Path("base"), Path("new")});
  const json report = json::parse(result.out);
  EXPECT_EQ(report["schema"], 1);
  EXPECT_EQ(report["base"]["captures"], 5);
  EXPECT_TRUE(report["comparable"]["ok"]);
  ASSERT_EQ(report["findings"].size(), 1U);
  const json& finding = report["findings"][0];
  EXPECT_EQ(finding["rank"], 1);
  EXPECT_EQ(finding["group"], json({{"process", "app"}, {"thread", "worker"}}));
  EXPECT_EQ(finding["metric"], "cpu_time");
  EXPECT_EQ(finding["unit"], "ns");  // per wakeup, of which there are as many
  EXPECT_EQ(finding["verdict"], "worse");
  EXPECT_NEAR(finding["ratio"], 2, 0.3);
  for (const char* key : {"statistic", "base", "new", "ratio_low", "ratio_high", "q", "because"}) {
    EXPECT_TRUE(finding.contains(key)) << key;
  }
  EXPECT_LT(finding["base"]["low"], finding["base"]["value"]);
  EXPECT_EQ(finding["captures"]["new"].size(), 5U);
  for (const char* key : {"file", "time_ns", "duration_ns", "thread"}) {
    EXPECT_TRUE(finding["examples"][0].contains(key)) << key;
  }
  EXPECT_GT(report["rows"].size(), 5U);
}

// And has no key that the schema does not have.
TEST_F(FxtDiffTest, JsonIsValidByTheSchema) {
  const auto schema = std::filesystem::absolute("docs/diff-schema.json");
  const std::string check =
      "import json, jsonschema, sys\n"
      "def close(node):\n"
      "    if isinstance(node, dict) and node.get('type') == 'object' and 'properties' in node:\n"
      "        node.setdefault('additionalProperties', False)\n"
      "    for part in node.values() if isinstance(node, dict) else node:\n"
      "        if isinstance(part, (dict, list)): close(part)\n"
      "schema = json.load(open(sys.argv[1]))\n"
      "jsonschema.Draft202012Validator.check_schema(schema)\n"
      "close(schema)\n"
      "jsonschema.Draft202012Validator(schema).validate(json.load(sys.stdin))";
  if (!std::filesystem::exists(schema) ||
      testing_support::RunCommand({"python3", "-c", "import jsonschema"}, "").status != 0) {
    GTEST_SKIP() << "no python3-jsonschema on this machine, or not run in the source tree";
  }
  const auto expect_valid = [&] {
    const auto answer = Fxt({"diff", "--json", Path("base"), Path("new")});
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto checked = testing_support::RunCommand({"python3", "-c", check, schema}, answer.out);
    EXPECT_EQ(checked.status, 0) << checked.err;
  };
  Save(2, 5, "\x1b[31m\n\"\xff");
  expect_valid();
  std::filesystem::remove_all(Path("base"));
  std::filesystem::remove_all(Path("new"));
  Save(4, 1);
  expect_valid();
  SaveEverything(3);
  expect_valid();
}

TEST_F(FxtDiffTest, CallsHandlersAndTheCommandHaveRows) {
  SaveEverything(5);
  const json report = json::parse(Fxt({"diff", "--json", Path("base"), Path("new")}).out);
  std::vector<std::string> found;
  for (const json& row : report["rows"]) {
    found.push_back(std::string(row["metric"]) + "/" + row.value("name", ""));
    const std::string metric = row["metric"];
    const bool of_group = metric != "elapsed" && metric != "machine" && metric != "irq_time" &&
                          metric != "softirq_time";
    EXPECT_EQ(row["group"].empty(), !of_group) << row;
  }
  for (const char* row : {"syscall_time/read", "irq_time/irq # disk", "softirq_time/softirq RCU",
                          "elapsed/", "machine/"}) {
    EXPECT_THAT(found, ::testing::Contains(row));
  }
}

// As a build server reads it.
TEST_F(FxtDiffTest, AllOutputsOfARunAgree) {
  const std::string count =
      "import sys, xml.etree.ElementTree as e\n"
      "suite = e.parse(sys.argv[1]).getroot()[0]\n"
      "cases = suite.findall('testcase')\n"
      "print(suite.get('tests'), len(cases), suite.get('failures'),\n"
      "      sum(c.find('failure') is not None for c in cases), suite.get('skipped'),\n"
      "      sum(c.find('skipped') is not None for c in cases))";
  // No XML may have the last two characters.
  Save(3, 5, "<w> \x1b[31m&\"'\xff \xef\xbf\xbe\xef\xbf\xbf");
  const auto result = Fxt({"diff", Path("base"), Path("new"), "--fail", "--json", "--html",
                           Path("d.html"), "--markdown", Path("d.md"), "--junit", Path("d.xml")});
  ASSERT_EQ(result.status, 3) << result.err;
  const json report = json::parse(result.out);
  size_t worse = 0;
  for (const json& finding : report["findings"]) worse += finding["verdict"] == "worse";
  EXPECT_GT(worse, 0U);
  const auto counted = testing_support::RunCommand({"python3", "-c", count, Path("d.xml")}, "");
  ASSERT_EQ(counted.status, 0) << counted.err;
  const auto rows = std::to_string(report["rows"].size());
  const auto failed = std::to_string(worse);
  const auto skipped = std::to_string(report["could_not_be_told"].get<size_t>());
  EXPECT_EQ(counted.out,
            rows + " " + rows + " " + failed + " " + failed + " " + skipped + " " + skipped + "\n");
  EXPECT_EQ(Text("d.html").substr(0, 15), "<!DOCTYPE html>");
  EXPECT_THAT(Text("d.md"), HasSubstr("| 1 | worse |"));
}

TEST_F(FxtDiffTest, EveryMetricHasItsRow) {
  Save(1, 3);
  const json report = json::parse(Fxt({"diff", "--json", Path("base"), Path("new")}).out);
  std::vector<std::string> found;
  for (const json& row : report["rows"]) {
    const std::string metric = row["metric"];
    found.push_back(metric == "forks" ? metric + "/" + std::string(row["statistic"]) : metric);
  }
  for (const char* metric :
       {"cpu_time", "slice", "wakeup_latency", "preempted_wait", "sleep", "blocked", "switches",
        "wakeups", "migrations", "forks/processes", "forks/threads", "inversion", "unconserved"}) {
    EXPECT_THAT(found, ::testing::Contains(metric));
  }
}

TEST_F(FxtDiffTest, NoiseReplacesTheDefaultPrior) {
  Save(1.6);
  // The same thing, which varies a lot.
  Work work;
  work.thread = "worker";
  std::vector<measure::Capture> noise;
  for (const double factor : {1.0, 8.0, 0.2, 3.0, 0.5}) {
    Work other = work;
    other.cpu_ms *= factor;
    noise.push_back(Simulator(3).Sides({other}, {other}, 1).base.front());
  }
  SaveSide("aa", noise);
  const auto usual = Fxt({"diff", Path("base"), Path("new"), "--fail"});
  EXPECT_EQ(usual.status, 3) << usual.out;
  EXPECT_THAT(usual.out, ::testing::Not(HasSubstr("is taken from")));
  const auto noisy = Fxt({"diff", Path("base"), Path("new"), "--fail", "--noise", Path("aa")});
  EXPECT_EQ(noisy.err, "");
  EXPECT_THAT(noisy.out, HasSubstr("note: how much captures of one thing differ is taken from 5"));
  // One file of all of them.
  const auto files = {Path("aa/0.fxs"), Path("aa/1.fxs"), Path("aa/2.fxs"), Path("aa/3.fxs")};
  std::vector<std::string> words = {"summarize", "-o", Path("aa.fxs")};
  words.insert(words.end(), files.begin(), files.end());
  const auto written = Fxt(words);
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_THAT(written.err, HasSubstr("4 captures of "));
  std::ofstream(Path("aa.fxs"), std::ios::binary | std::ios::app) << Text("aa/4.fxs");
  EXPECT_EQ(Fxt({"diff", Path("base"), Path("new"), "--fail", "--noise", Path("aa.fxs")}).out,
            noisy.out);
  EXPECT_THAT(Fxt({"diff", "--base", Path("aa.fxs"), "--new", Path("aa.fxs")}).out,
              HasSubstr("\n5 captures"));
  EXPECT_THAT(Fxt({"report", Path("aa.fxs")}).err, HasSubstr("there are 5 captures in it"));
  const auto one = Fxt({"diff", Path("base"), Path("new"), "--noise", Path("aa/0.fxs")});
  EXPECT_EQ(one.status, 2);
  EXPECT_THAT(one.err, HasSubstr("--noise has 1 capture;"));
}

TEST_F(FxtDiffTest, AFolderMayHaveEveryKindOfCapture) {
  auto parts = analyze::testing::RecordingParts::Sound();
  const auto sound = parts.Bytes();
  std::filesystem::create_directories(Path("all"));
  std::ofstream trace(Path("all/a.fxt"), std::ios::binary);
  trace.write(reinterpret_cast<const char*>(sound.data()), static_cast<long>(sound.size()));
  trace.close();
  ASSERT_EQ(Fxt({"trim", Path("all/a.fxt"), "-o", Path("all/b.fxt.gz")}).status, 0);
  ASSERT_EQ(Fxt({"summarize", Path("all/a.fxt"), "-o", Path("all/c.fxs")}).status, 0);
  std::ofstream(Path("all/notes.txt")) << "no capture";
  const auto result = Fxt({"diff", "--json", "--fail", Path("all"), Path("all")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["base"]["captures"], 3);
}

TEST_F(FxtDiffTest, NamesAreTextInEveryOutput) {
  Save(2, 5, "<b>|\x1b[31m\"&");
  const auto result = Fxt(
      {"diff", Path("base"), Path("new"), "--markdown", Path("d.md"), "--junit", Path("d.xml")});
  EXPECT_THAT(result.out, HasSubstr("app/<b>|\\u001b[31m\"&"));
  EXPECT_THAT(Text("d.md"), HasSubstr("app/&lt;b\\>\\|\\\\u001b\\[31m\"&amp;"));
  EXPECT_THAT(Text("d.xml"), HasSubstr("app/&lt;b&gt;|\\u001b[31m&quot;&amp;"));
}

TEST_F(FxtDiffTest, ATraceBesideItsSummaryIsOneCapture) {
  auto parts = analyze::testing::RecordingParts::Sound();
  const auto sound = parts.Bytes();
  std::filesystem::create_directories(Path("both"));
  std::ofstream trace(Path("both/a.fxt"), std::ios::binary);
  trace.write(reinterpret_cast<const char*>(sound.data()), static_cast<long>(sound.size()));
  trace.close();
  ASSERT_EQ(Fxt({"summarize", Path("both/a.fxt"), "-o", Path("both/a.fxs")}).status, 0);
  const auto result = Fxt({"diff", "--json", Path("both"), Path("both")});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["base"]["captures"], 1);
  EXPECT_EQ(report["base"]["files"], json({Path("both/a.fxt")}));
}

TEST_F(FxtDiffTest, BadInputIsOneErrorAndStatusTwo) {
  Save(1, 3);
  std::filesystem::create_directories(Path("empty"));
  std::ofstream(Path("noise.fxs")) << "not a summary";
  const std::vector<std::vector<std::string>> wrong = {
      {"diff"},
      {"diff", Path("base")},
      {"diff", Path("base"), Path("none")},
      {"diff", Path("base"), Path("empty")},
      {"diff", Path("base"), Path("noise.fxs")},
      {"diff", "--base", Path("base")},
      {"diff", Path("base"), Path("new"), "--base", Path("base")},
      {"diff", Path("base"), Path("new"), "--noise", Path("base/0.fxs")},
      {"diff", Path("base/0.fxs"), Path("new/0.fxs"), "--markdown", Path("base/0.fxs")},
  };
  for (const auto& words : wrong) {
    const auto result = Fxt(words);
    EXPECT_EQ(result.status, 2) << ::testing::PrintToString(words);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err, "");
  }
}

}  // namespace
}  // namespace tools
