// SPDX-License-Identifier: BSD-2-Clause
// The reports of `fxt lbr` on the genuine recordings, against what is known of them.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "unit/perf/recordings.h"
#include "unit/perf/synthetic.h"
#include "unit/support/branchy_code.h"
#include "unit/support/json.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using nlohmann::json;
using testing_support::CommandResult;

class FxtLbrTest : public testing::FxtCommandTest {
 protected:
  // The recording as a trace; "" after a failure.
  std::string Import(const std::filesystem::path& folder, const std::string& name) {
    const std::string trace = Path(name + ".fxt");
    const CommandResult import = Fxt({"import", folder / (name + ".perf.data"), "-o", trace});
    EXPECT_EQ(import.status, 0) << import.err;
    return import.status == 0 ? trace : "";
  }
  json Report(std::vector<std::string> words) {
    words.insert(words.begin(), {"lbr", "--json", "--top", "0"});
    const CommandResult result = Fxt(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return testing_support::ParseJson(result.out);
  }
  size_t Samples(const std::string& trace, const std::vector<std::string>& options) {
    std::vector<std::string> words = options;
    words.push_back(trace);
    return Report(words).at("samples").get<size_t>();
  }
};

TEST_F(FxtLbrTest, AgreesWithTheReadmeOnSimpleperf) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const std::string trace = Import(folder, "simpleperf-6.4");
  const json report = Report({trace});
  EXPECT_EQ(report.at("samples"), 19);
  EXPECT_EQ(report.at("empty_samples"), 6);
  EXPECT_EQ(report.at("branches"), 386);
  EXPECT_EQ(report.at("with_cycles"), 385);
  const json& branches = report.at("hottest_branches").at("top");
  ASSERT_EQ(branches.size(), 3u);
  EXPECT_EQ(branches[0].at("count"), 353);
  EXPECT_EQ(branches[0].at("from").at("text"), "lbr_test_loop+0x94d");
  EXPECT_EQ(branches[0].at("to").at("text"), "lbr_test_loop+0x940");
  EXPECT_EQ(branches[1].at("count"), 32);
  EXPECT_EQ(branches[1].at("from").at("offset"), "0x91b");
  EXPECT_EQ(branches[1].at("to").at("offset"), "0x910");
  EXPECT_EQ(branches[2].at("count"), 1);
  EXPECT_TRUE(branches[2].at("from").at("address").get<std::string>().starts_with("0xffff"));
  const CommandResult text = Fxt({"lbr", trace});
  EXPECT_NE(text.out.find("lbr_test_loop+0x94d -> lbr_test_loop+0x940\n"), std::string::npos)
      << text.out;
  EXPECT_NE(text.err.find("no symbols: lbr_test_loop"), std::string::npos) << text.err;
}

TEST_F(FxtLbrTest, AgreesWithTheReadmeOnSkylakeSp) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const json report = Report({Import(folder, "skylake-sp-4.15")});
  EXPECT_EQ(report.at("samples"), 3740);
  EXPECT_EQ(report.at("empty_samples"), 8);
  EXPECT_EQ(report.at("branches"), 119424);
  EXPECT_EQ(report.at("mispredicted"), 5);
  std::map<std::string, uint64_t> by_offset;
  uint64_t from_kernel = 0;
  for (const json& branch : report.at("hottest_branches").at("top")) {
    const uint64_t count = branch.at("count");
    if (branch.at("from").contains("offset")) {
      by_offset[branch.at("from").at("offset")] += count;
    } else {
      from_kernel += count;
    }
  }
  EXPECT_EQ(from_kernel, 5u);
  // The README counts instructions by kind; there is one of each in the program, but for three jmp.
  const std::map<std::string, uint64_t> expected = {{"0x967", 15930},  // call
                                                    {"0x982", 15786},  // jle
                                                    {"0x905", 15658},  // ret
                                                    {"0xa26", 15204},  // jne
                                                    {"0x9de", 10576},  // je
                                                    {"0x8e3", 9871},   // jge
                                                    {"0xa6e", 15550}, {"0xa60", 15297},
                                                    {"0x8f4", 5547}};  // jmp, 36394 together
  EXPECT_EQ(by_offset, expected);
  EXPECT_EQ(expected.at("0xa6e") + expected.at("0xa60") + expected.at("0x8f4"), 36394u);
}

TEST_F(FxtLbrTest, CountsTheOthersAsTheReadmeDoes) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const json skylake = Report({Import(folder, "skylake-y-4.14")});
  EXPECT_EQ(skylake.at("branches"), 416 - 29);
  EXPECT_EQ(skylake.at("unfilled"), 29);
  EXPECT_EQ(skylake.at("mispredicted"), 21);
  EXPECT_EQ(skylake.at("predicted"), 395 - 29);
  EXPECT_EQ(skylake.at("longest_stack"), 32);
  const json sandybridge = Report({Import(folder, "sandybridge-systemwide-3.8")});
  EXPECT_EQ(sandybridge.at("samples"), 1916);
  EXPECT_EQ(sandybridge.at("branches"), 30656 - 262);
  EXPECT_EQ(sandybridge.at("mispredicted"), 1906);
  EXPECT_EQ(sandybridge.at("with_cycles"), 0);
  EXPECT_EQ(sandybridge.at("blocks").at("total"), 0);
  EXPECT_EQ(sandybridge.at("threads").at("total"), 24);
  std::map<int64_t, uint64_t> processes;
  for (const json& thread : sandybridge.at("threads").at("top")) {
    processes[thread.at("pid")] += thread.at("samples").get<uint64_t>();
  }
  EXPECT_EQ(processes.size(), 17u);
  EXPECT_TRUE(processes.contains(0));
}

TEST_F(FxtLbrTest, FiltersSamples) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const std::string trace = Import(folder, "sandybridge-systemwide-3.8");
  const json all = Report({trace});
  // Each thread alone has the samples that the report of all says, and together they are all.
  size_t sum = 0;
  for (const json& thread : all.at("threads").at("top")) {
    const size_t samples =
        Samples(trace, {"--thread", fmt::format("{}", thread.at("tid").get<int64_t>())});
    EXPECT_EQ(samples, thread.at("samples").get<size_t>()) << thread;
    sum += samples;
  }
  EXPECT_EQ(sum, 1916u);
  EXPECT_EQ(Samples(trace, {"--thread", "Compositor"}), 421u);
  EXPECT_EQ(Samples(trace, {"--thread", "swapper"}), 408u);
  EXPECT_EQ(Samples(trace, {"--process", "10458"}), 25u);
  sum = 0;
  for (const char* cpu : {"0", "1", "2", "3"}) sum += Samples(trace, {"--cpu", cpu});
  EXPECT_EQ(sum, 1916u);
  EXPECT_EQ(Samples(trace, {"--cpu", "4"}), 0u);
  // Both ends belong to a range.
  const size_t early = Samples(trace, {"--to", "@346843851438457"});
  const size_t late = Samples(trace, {"--from", "@346843851438458"});
  EXPECT_GT(early, 0u);
  EXPECT_GT(late, 0u);
  EXPECT_EQ(early + late, 1916u);
  EXPECT_EQ(Samples(trace, {"--to", "1s"}), early);  // the first record is the first sample's
  // The stacks themselves go through the same filter.
  const CommandResult raw = Fxt({"lbr", "--brstack", "--thread", "Compositor", trace});
  EXPECT_EQ(perf::testing::SplitLines(raw.out).size(), 421u);
}

TEST_F(FxtLbrTest, WritesSamplesAsJson) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  const std::string trace = Import(folder, "skylake-y-4.14");
  const CommandResult result = Fxt({"lbr", "--raw", "--json", trace});
  size_t samples = 0;
  size_t branches = 0;
  size_t unfilled = 0;
  for (const std::string& line : perf::testing::SplitLines(result.out)) {
    const json sample = testing_support::ParseJson(line);
    EXPECT_EQ(sample.at("tid"), 5805);
    ++samples;
    branches += sample.at("branches").size();
    for (const json& branch : sample.at("branches")) unfilled += branch.contains("unfilled");
  }
  EXPECT_EQ(samples, 13u);
  EXPECT_EQ(branches, 416u);
  EXPECT_EQ(unfilled, 29u);
}

// Synthetic: a stack in code that is at hand, so that names and kinds can be had.
TEST_F(FxtLbrTest, NamesFunctionsOfAnExecutableAtHand) {
  const testing_support::BranchyCode code = testing_support::FindBranchyCode();
  if (code.map_size == 0) GTEST_SKIP() << "no x86-64";
  constexpr uint64_t kStart = 0x10000000;
  const uint64_t caller = kStart + code.caller - code.map_offset;
  const uint64_t callee = kStart + code.callee - code.map_offset;
  perf::testing::FileBuilder builder;
  perf_event_attr attr = perf::testing::MakeAttr(
      PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_ANY);
  attr.sample_id_all = 0;
  builder.Event(attr);
  perf::testing::ByteBuilder mapping;
  mapping.U32(20).U32(20).U64s({kStart, code.map_size, code.map_offset, 0, 0, 0});
  mapping.U32(5).U32(0).PaddedText(code.file);
  builder.Record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, mapping);
  perf::testing::ByteBuilder body;
  body.U32(20).U32(20).U64(1000).U64(4);
  body.Entry(callee + 4, caller + 5, 2 | 3 << 4).Entry(callee + 2, callee + 4, 2 | 2 << 4);
  body.Entry(callee, callee + 2, 1 | 9 << 4).Entry(caller, callee, 2);
  builder.Record(PERF_RECORD_SAMPLE, 0, body);
  const std::vector<std::byte> bytes = builder.BuildFile();
  std::ofstream(Path("perf.data"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const std::string trace = Path("out.fxt");
  ASSERT_EQ(Fxt({"import", Path("perf.data"), "-o", trace}).status, 0);

  const json report = Report({trace});
  EXPECT_EQ(report.at("kinds"),
            (json{{"call", 1}, {"conditional", 1}, {"jump", 1}, {"return", 1}}));
  const json& callee_count = report.at("functions").at("top").at(0);
  EXPECT_EQ(callee_count.at("function"), "lbr_test_callee");
  EXPECT_EQ(callee_count.at("calls"), 1);
  EXPECT_EQ(callee_count.at("returns"), 1);
  EXPECT_TRUE(report.at("without_symbols").empty()) << report.at("without_symbols");
  const json& worst = report.at("mispredicted_branches").at("top").at(0);
  EXPECT_EQ(worst.at("from").at("function"), "lbr_test_callee");
  EXPECT_EQ(worst.at("kind"), "conditional");

  const std::string raw = Fxt({"lbr", "--raw", "--symbols", trace}).out;
  EXPECT_NE(raw.find(" -> lbr_test_caller+0x5 ["), std::string::npos) << raw;
  const std::string offsets = Fxt({"lbr", "--no-symbols", trace}).out;
  EXPECT_EQ(offsets.find("lbr_test_callee"), std::string::npos) << offsets;
}

TEST_F(FxtLbrTest, NotesTracesWithoutBranchStacks) {
  perf::testing::FileBuilder builder;
  builder.Event(perf::testing::MakeAttr(PERF_SAMPLE_TID | PERF_SAMPLE_TIME));
  const std::vector<std::byte> bytes = builder.BuildPipe();
  const std::string input(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  ASSERT_EQ(Fxt({"import", "-", "-o", Path("out.fxt")}, input).status, 0);
  for (const char* form : {"--raw", "--brstack", "--json"}) {
    const CommandResult result = Fxt({"lbr", form, Path("out.fxt")});
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.err.find("no branch stacks"), std::string::npos) << result.err;
  }
}

TEST_F(FxtLbrTest, RefusesWrongCommandLinesAndFiles) {
  EXPECT_EQ(Fxt({"lbr"}).status, 2);
  EXPECT_EQ(Fxt({"lbr", Path("absent")}).status, 2);
  std::ofstream(Path("text")) << "no trace at all";
  EXPECT_EQ(Fxt({"lbr", Path("text")}).status, 2);
  const CommandResult report = Fxt({"lbr", "--report", "colours", Path("text")});
  EXPECT_EQ(report.status, 2);
  EXPECT_NE(report.err.find("branches, mispredicted, blocks, functions, threads"),
            std::string::npos)
      << report.err;
  EXPECT_EQ(Fxt({"lbr", "--raw", "--brstack", Path("text")}).status, 2);
  EXPECT_EQ(Fxt({"lbr", "--from", "soon", Path("text")}).status, 2);
  for (const char* command : {"lbr", "import"}) {
    const CommandResult help = Fxt({command, "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.out.find("Examples:\n  fxt " + std::string(command)), std::string::npos)
        << help.out;
  }
}

}  // namespace
}  // namespace tools
