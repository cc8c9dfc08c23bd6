// SPDX-License-Identifier: BSD-2-Clause
// What holds of `fxt diff` and `fxt report` whatever the captures are: summaries stand for their
// traces, parts of a trace tell nothing else than the whole, losses are no findings, and files of
// other programs are not made to say what they do not know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "unit/fxt/support/vectors.h"
#include "unit/measure/trace_script.h"
#include "unit/support/json.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using measure::testing::TraceScript;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMs = 1'000'000;

// Two seconds of a server that runs `run` ns for each of its client's questions, on a CPU beside
// one that computes; now and then it is blocked, or preempted.
void Serve(TraceScript& trace, uint64_t seed, uint64_t run, uint64_t lost = 0) {
  std::mt19937_64 random(seed);
  trace.Name(7, "server").Name(8, "client").Name(9, "hog").Name(10, "other");
  trace.Session(kMs);
  trace.Switch(kMs, 1, 0, "R", 9);
  uint64_t time = 2 * kMs;
  // Some time later, about.
  const auto later = [&](uint64_t ns) { return time += ns * 9 / 10 + random() % (ns / 5); };
  for (int turn = 0; time < 2000 * kMs; ++turn) {
    trace.Wake(later(5 * kMs), 8).Switch(later(20'000), 0, 0, "R", 8);
    trace.Wake(later(50'000), 7, 8).Switch(later(10'000), 0, 8, "S", 7);
    if (turn % 9 == 0) {
      trace.Switch(later(run / 2), 0, 7, "D", 0).Wake(later(3 * kMs), 7);
      trace.Switch(later(20'000), 0, 0, "R", 7);
    }
    if (turn % 7 == 0) {
      trace.Wake(later(run / 3), 10)
          .Switch(later(9000), 0, 7, "R+", 10)
          .Switch(later(2 * kMs), 0, 10, "S", 7);
    }
    if (lost != 0 && turn == 100) trace.Loss(time, 0, lost);
    trace.Wake(later(run), 8, 7).Switch(later(1000), 0, 7, "S", 8);
    trace.Switch(later(30'000), 0, 8, "S", 0);
  }
  trace.Switch(later(kMs), 1, 9, "R+", 0);
}

class FxtDiffPropertiesTest : public testing::FxtCommandTest {
 protected:
  std::string Write(const std::string& name, std::span<const std::byte> bytes) const {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
    return Path(name);
  }
  std::string Write(const std::string& name, TraceScript& trace) const {
    return Write(name, trace.bytes());
  }
  std::string Text(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // traces/base and traces/new, three captures each, of which the new ones need three times the
  // CPU time.
  void WriteSides() const {
    for (const bool next : {false, true}) {
      for (uint64_t number = 0; number < 3; ++number) {
        TraceScript trace;
        Serve(trace, number * 2 + next, next ? 900'000 : 300'000);
        const std::string name = (next ? "new/" : "base/") + std::to_string(number);
        Write("traces/" + name + ".fxt", trace);
      }
    }
  }
};

// Without the commands that draw the longest examples: they need traces.
std::string WithoutCommands(std::string text) {
  const bool is_json = text.starts_with('{') || text.starts_with('"');
  for (size_t at = 0; (at = text.find("fxt draw --from", at)) != std::string::npos;) {
    const size_t begin = is_json ? at : text.rfind('\n', at) + 1;
    const size_t end = is_json ? text.find('"', at) : text.find('\n', at) + 1;
    text.erase(begin, end - begin);
    at = begin;
  }
  return text;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

// Summaries give the same output as their traces: every value, and the longest examples, which are
// named by the file that was read. A page draws its strips from traces alone.
TEST_F(FxtDiffPropertiesTest, SummariesGiveTheOutputOfTheirTraces) {
  WriteSides();
  for (const std::string side : {"base", "new"}) {
    std::filesystem::create_directories(Path("sums/" + side));
    for (const std::string number : {"0", "1", "2"}) {
      const auto written = Fxt({"summarize", Path("traces/" + side + "/" + number + ".fxt"), "-o",
                                Path("sums/" + side + "/" + number + ".fxs")});
      ASSERT_EQ(written.status, 0) << written.err;
    }
  }
  std::vector<std::string> answers[2];
  for (const bool sums : {false, true}) {
    const std::string of = sums ? "sums/" : "traces/";
    const std::vector<std::string> words = {
        "diff",    Path(of + "base"), Path(of + "new"), "--markdown", Path(of + "d.md"),
        "--junit", Path(of + "d.xml")};
    auto& all = answers[sums];
    all.push_back(Fxt(words).out);
    all.push_back(Fxt({"diff", "--json", Path(of + "base"), Path(of + "new")}).out);
    all.push_back(Text(of + "d.md"));
    all.push_back(Text(of + "d.xml"));
    for (std::string& text : all) {
      text = Replaced(Replaced(text, Path("sums/"), Path("traces/")), ".fxs", ".fxt");
      text = WithoutCommands(text);
    }
  }
  const json report = testing_support::ParseJson(answers[0][1]);
  ASSERT_FALSE(report["findings"].empty());
  ASSERT_FALSE(report["findings"][0]["examples"].empty());
  for (size_t i = 0; i < answers[0].size(); ++i) {
    EXPECT_FALSE(answers[0][i].empty());
    EXPECT_TRUE(answers[0][i] == answers[1][i]) << answers[0][i] << "\n" << answers[1][i];
  }
}

TEST_F(FxtDiffPropertiesTest, ALossIsNotedAndIsNoFinding) {
  std::vector<std::string> files[2];
  for (const bool next : {false, true}) {
    for (uint64_t number = 0; number < 3; ++number) {
      TraceScript trace;
      Serve(trace, number * 2 + next, 300'000, next ? 50 : 0);
      files[next].push_back(
          Write(std::to_string(next) + "/" + std::to_string(number) + ".fxt", trace));
    }
  }
  const auto result = Fxt({"diff", "--json", "--fail", Path("0"), Path("1")});
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = testing_support::ParseJson(result.out);
  EXPECT_TRUE(report["findings"].empty()) << report["findings"].dump();
  EXPECT_FALSE(report["comparable"]["ok"]);
  EXPECT_THAT(report["comparable"]["notes"].dump(), HasSubstr("50 events were lost"));
  const json lossy = testing_support::ParseJson(Fxt({"report", "--json", files[1][0]}).out);
  uint64_t unknown = 0;
  for (const json& group : lossy["groups"]) {
    uint64_t sum = 0;
    for (const json& share : group["share_ns"]) sum += share.get<uint64_t>();
    EXPECT_EQ(sum, group["threads"].get<uint64_t>() * lossy["length_ns"].get<uint64_t>());
    unknown += group["share_ns"]["unknown"].get<uint64_t>();
  }
  EXPECT_GT(unknown, 0u);
}

// A part that was cut out lacks what was before it: that may be unknown there, and is never
// something else.
TEST_F(FxtDiffPropertiesTest, TrimmedTracesAgreeWithTheWhole) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    TraceScript trace;
    Serve(trace, seed, 400'000);
    const std::string whole = Write("whole.fxt", trace);
    const std::string from = std::to_string(301 + 7 * seed) + "ms";
    const std::string to = std::to_string(907 + 3 * seed) + "ms";
    const auto trimmed = Fxt({"trim", whole, "--from", from, "--to", to, "-o", Path("part.fxt")});
    ASSERT_EQ(trimmed.status, 0) << trimmed.err;
    const json part = testing_support::ParseJson(Fxt({"report", "--json", Path("part.fxt")}).out);
    const json window = testing_support::ParseJson(
        Fxt({"report", "--json", "--from", from, "--to", to, whole}).out);
    EXPECT_GT(part["length_ns"].get<uint64_t>(), 580 * kMs);
    EXPECT_LE(part["length_ns"].get<uint64_t>(), window["length_ns"].get<uint64_t>());
    for (const json& group : part["groups"]) {
      uint64_t sum = 0;
      for (const json& share : group["share_ns"]) sum += share.get<uint64_t>();
      EXPECT_EQ(sum, group["threads"].get<uint64_t>() * part["length_ns"].get<uint64_t>());
      bool found = false;
      for (const json& other : window["groups"]) {
        if (other["process"] != group["process"] || other["thread"] != group["thread"]) continue;
        found = true;
        for (const auto& [state, share] : other["share_ns"].items()) {
          if (state == "unknown" || state == "absent") continue;
          EXPECT_LE(group["share_ns"][state].get<uint64_t>(), share.get<uint64_t>())
              << seed << " " << group["process"] << " " << state;
        }
        EXPECT_LE(group["wakeups"].get<uint64_t>(), other["wakeups"].get<uint64_t>());
      }
      EXPECT_TRUE(found) << group["process"];
    }
    // The same of both: nothing changed.
    const auto diff =
        Fxt({"diff", "--json", "--fail", "--base", Path("part.fxt"), Path("part.fxt"),
             Path("part.fxt"), "--new", Path("part.fxt"), Path("part.fxt"), Path("part.fxt")});
    EXPECT_EQ(diff.status, 0) << diff.err;
  }
}

// The part of one process lacks the others: it is said, and captures of it are not compared with
// whole ones without a word.
TEST_F(FxtDiffPropertiesTest, AFilterIsNoted) {
  TraceScript trace;
  Serve(trace, 1, 400'000);
  const std::string whole = Write("whole.fxt", trace);
  ASSERT_EQ(Fxt({"trim", whole, "--process", "server", "-o", Path("part.fxt")}).status, 0);
  const json report =
      testing_support::ParseJson(Fxt({"diff", "--json", "--base", whole, whole, whole, "--new",
                                      Path("part.fxt"), Path("part.fxt"), Path("part.fxt")})
                                     .out);
  EXPECT_FALSE(report["comparable"]["ok"]);
  EXPECT_THAT(report["comparable"]["notes"].dump(), HasSubstr("trimmed by --process server"));
}

// Records as other programs write them, each a file: no crash, no hang, and no word of switches,
// waits or names that are not in there.
class OtherProgramsTest : public FxtDiffPropertiesTest {
 protected:
  void Expect(const std::string& file, bool comparable, const std::string& note) const {
    for (const char* output : {"--json", "--top=3"}) {
      const auto report = Fxt({"report", file, output});
      EXPECT_EQ(report.status, 0) << file << report.err;
      EXPECT_THAT(report.out, HasSubstr(note)) << file;
    }
    const auto summary = Fxt({"summarize", file, "-o", Path("s.fxs")});
    EXPECT_EQ(summary.status, 0) << file << summary.err;
    for (const std::string& one : {file, Path("s.fxs")}) {
      const auto diff =
          Fxt({"diff", "--json", "--fail", "--base", one, one, one, "--new", one, one, one});
      if (!comparable) {
        EXPECT_EQ(diff.status, 2) << file;
        EXPECT_EQ(diff.out, "");
        EXPECT_THAT(diff.err, HasSubstr("there are no context switches to compare")) << file;
        continue;
      }
      ASSERT_EQ(diff.status, 0) << file << diff.err;
      const json report = testing_support::ParseJson(diff.out);
      EXPECT_TRUE(report["findings"].empty()) << file << report["findings"].dump();
      EXPECT_THAT(report["comparable"]["notes"].dump(), HasSubstr(note)) << file;
    }
  }
};

TEST_F(OtherProgramsTest, VectorsOfOtherImplementations) {
  std::vector<uint64_t> words = {fxt::kMagicRecord};
  const auto vectors = fxt::testing::LoadVectors();
  ASSERT_FALSE(vectors.empty());
  size_t number = 0;
  for (const fxt::testing::Vector& vector : vectors) {
    if (vector.id[0] == 'A' || vector.id[0] == 'X' || vector.id == "M1") continue;
    words.insert(words.end(), vector.words.begin(), vector.words.end());
    // Each by itself as well.
    const std::vector<uint64_t> one = {fxt::kMagicRecord};
    std::vector<uint64_t> file = one;
    file.insert(file.end(), vector.words.begin(), vector.words.end());
    const std::string path =
        Write(std::to_string(number++) + ".fxt", std::as_bytes(std::span(file)));
    const auto report = Fxt({"report", "--json", path});
    EXPECT_EQ(report.status, 0) << vector.id << report.err;
    const auto diff = Fxt({"diff", "--json", path, path});
    EXPECT_THAT(diff.status, ::testing::AnyOf(0, 2)) << vector.id << diff.err;
    EXPECT_EQ(diff.status == 0, !diff.out.empty()) << vector.id;
  }
  const std::string all = Write("all.fxt", std::as_bytes(std::span(words)));
  EXPECT_THAT(Fxt({"report", all}).err, HasSubstr("not in order of time"));
  ASSERT_EQ(Fxt({"merge", all, "-o", Path("sorted.fxt")}).status, 0);
  EXPECT_EQ(Fxt({"report", Path("sorted.fxt")}).status, 0);
  EXPECT_EQ(Fxt({"diff", Path("sorted.fxt"), Path("sorted.fxt")}).status, 0);
}

// Calls of one thread, as decoders of branch traces write them: spans that lie in each other.
TEST_F(OtherProgramsTest, CallsWithoutSwitches) {
  fxt::testing::FileBuilder file;
  file.Add(fxt::Initialization{1'000'000'000});
  file.Add(fxt::KernelObject{
      static_cast<uint8_t>(fxt::KernelObjectType::kProcess), 12, TraceScript::Text("demo"), {}});
  for (uint64_t time = 1000; time < 100'000; time += 100) {
    for (const auto type : {fxt::EventType::kDurationBegin, fxt::EventType::kDurationEnd}) {
      file.Add(fxt::Event{.type = type,
                          .timestamp = time + (type == fxt::EventType::kDurationEnd ? 60 : 0),
                          .thread = fxt::ThreadRef::Inline(12, 12),
                          .category = TraceScript::Text(""),
                          .name = TraceScript::Text("cos"),
                          .arguments = {}});
    }
  }
  Expect(Write("calls.fxt", file.bytes()), false, "there are no context switches");
}

// As Zircon writes them: switches with weights, wakeups without a waker, an idle thread that has
// the least weight, ticks that are no nanoseconds.
TEST_F(OtherProgramsTest, SwitchesWithWeights) {
  for (const bool names : {true, false}) {
    fxt::testing::FileBuilder file;
    file.Add(fxt::Initialization{24'000'000});
    if (names) {
      const fxt::Argument of{TraceScript::Text("process"), fxt::KoidValue{1100}};
      file.Add(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                 1100,
                                 TraceScript::Text("shell"),
                                 {}});
      file.Add(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                 1101,
                                 TraceScript::Text("initial-thread"),
                                 {&of, 1}});
    }
    const fxt::Argument least{TraceScript::Text("outgoing_weight"), INT32_MIN};
    const fxt::Argument usual{TraceScript::Text("outgoing_weight"), int32_t{40'960}};
    for (uint64_t time = 1000; time < 24'000'000; time += 24'000) {
      file.Add(fxt::ThreadWakeup{time, 0, 1101, {}});
      file.Add(fxt::ContextSwitch{time + 100, 0, fxt::ThreadState::kNew, 990, 1101, {&least, 1}});
      file.Add(
          fxt::ContextSwitch{time + 9000, 0, fxt::ThreadState::kBlocked, 1101, 990, {&usual, 1}});
    }
    Expect(Write("weights.fxt", file.bytes()), true, names ? "" : "have no names");
  }
}

// Switches in which all threads stay runnable and none is woken.
TEST_F(OtherProgramsTest, SwitchesWithoutStatesAndWakeups) {
  fxt::testing::FileBuilder file;
  for (uint64_t time = 1000; time < 50'000'000; time += 10'000) {
    file.Add(fxt::LegacyContextSwitch{
        .timestamp = time,
        .cpu = 0,
        .outgoing_state = fxt::ThreadState::kNew,
        .outgoing = fxt::ThreadRef::Inline(5, 50 + time / 10'000 % 3),
        .incoming = fxt::ThreadRef::Inline(5, 50 + (time / 10'000 + 1) % 3),
        .outgoing_priority = 0,
        .incoming_priority = 0});
  }
  Expect(Write("plain.fxt", file.bytes()), true, "states of threads are not recorded");
}

}  // namespace
}  // namespace tools
