// SPDX-License-Identifier: BSD-2-Clause
// For any content of a trace, path or command line, `fxt` writes nothing that controls a terminal
// or reorders text.
#include <gmock/gmock-matchers.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "unit/analyze/recording_parts.h"
#include "unit/support/is_json.h"
#include "unit/tools/fxt_command.h"

namespace tools {
namespace {

using ::testing::HasSubstr;
using testing_support::CommandResult;

const std::string kHostile[] = {"\x1b[2J",
                                "\xc2\x9b"
                                "2J",
                                "\x9b"
                                "2J",
                                "\xe2\x80\xae",
                                "\xe2\x81\xa6",
                                "\xe2\x80\x8f",
                                "\xd8\x9c",
                                "\xe2\x80\xa8",
                                "\xe2\x80\x8b",
                                "\x7f",
                                "\xc2\x85",
                                "\r",
                                "\n",
                                "\xff",
                                "\xef\xbb\xbf"};

// The first terminal control in the text, found by comparing bytes; "" without one.
std::string HarmIn(const std::string& text, bool line_feeds) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto at = [&](size_t n) -> unsigned {
      return i + n < text.size() ? text[i + n] & 0xff : 0;
    };
    const unsigned c = at(0);
    bool harm = (c < 0x20 && !(line_feeds && c == '\n')) || c == 0x7f || c == 0xc0 || c == 0xff;
    harm = harm || (c == 0xc2 && at(1) < 0xa0) || (c == 0xd8 && at(1) == 0x9c);
    harm = harm || (c == 0xe2 && at(1) == 0x80 &&
                    ((at(2) >= 0x8b && at(2) <= 0x8f) || (at(2) >= 0xa8 && at(2) <= 0xae)));
    harm = harm || (c == 0xe2 && at(1) == 0x81 && at(2) >= 0xa0 && at(2) <= 0xaf);
    harm = harm || (c == 0xef && at(1) == 0xbb && at(2) == 0xbf);
    // A C1 byte outside a character.
    harm = harm || (c >= 0x80 && c < 0xc0 && (i == 0 || (text[i - 1] & 0x80) == 0));
    if (harm) return ::testing::PrintToString(text.substr(i < 40 ? 0 : i - 40, 80));
  }
  return "";
}

class FxtTerminalTest : public testing::FxtCommandTest {
 protected:
  // A trace whose texts are replaced by hostile ones of the same length, from kHostile[first] on,
  // so that over several files each place gets each of them. Texts in `spared` stay.
  std::string HostileTrace(size_t first, const std::set<std::string>& spared) const {
    auto parts = analyze::testing::RecordingParts::Sound();
    const auto app = fxt::ThreadRef::Inline(analyze::testing::kApp, analyze::testing::kApp);
    const fxt::Argument argument{fxt::StringRef::Inline("argument name"),
                                 fxt::StringRef::Inline("argument value")};
    const std::array<std::byte, 16> bytes{};
    parts.Add("object", fxt::UserspaceObject{
                            4096, app, fxt::StringRef::Inline("object name"), {&argument, 1}});
    parts.Add("module", fxt::ProfilerModule{1'000'100'000, app, 7, "/usr/lib/module.so", bytes});
    parts.Add("large", fxt::LargeBlobWithMetadata{1'000'100'000,
                                                  app,
                                                  fxt::StringRef::Inline("large category"),
                                                  fxt::StringRef::Inline("large name"),
                                                  {&argument, 1},
                                                  bytes});
    parts.Add("provider", fxt::ProviderInfo{2, "another provider"});
    const auto content = parts.Bytes();
    std::string file(reinterpret_cast<const char*>(content.data()), content.size());
    size_t next = first;
    const auto is_text = [&](size_t i) {
      const char c = file[i];
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c != 0 && strchr(" -/._", c));
    };
    for (size_t i = 16; i < file.size();) {
      size_t end = i;
      while (end < file.size() && is_text(end)) ++end;
      // Texts are padded with zeros to whole words, so each begins at a word.
      if (i % 8 == 0 && end - i >= 3 && !spared.contains(file.substr(i, end - i))) {
        std::string text;
        const std::string& hostile = kHostile[next++ % std::size(kHostile)];
        while (text.size() + hostile.size() <= end - i) text += hostile;
        text.resize(end - i, 'x');
        file.replace(i, end - i, text);
        ++replaced_;
      }
      i = std::max(end, i + 1);
    }
    return file;
  }
  mutable size_t replaced_ = 0;
};

TEST_F(FxtTerminalTest, NoTextOfATraceControlsTheTerminal) {
  const std::vector<std::string> commands[] = {
      {"info"},
      {"info", "--json"},
      {"check"},
      {"check", "--json", "--max", "0"},
      {"dump"},
      {"dump", "--json"},
      {"dump", "--raw"},
      {"lbr"},
      {"lbr", "--json"},
      {"lbr", "--raw", "--symbols"},
      {"lbr", "--raw", "--json"},
      {"lbr", "--brstack"},
      {"json", "-o", "-"},
      {"json", "--cpu-slices", "-o", "-"},
      {"trim", "-o", "/dev/null"},
      {"recover", "-o", "/dev/null"},
  };
  // Names that identify a recording of fxt-record, so that all of its output is covered.
  const std::set<std::string> ours = {"fxt-record", "sched", "process", "session",
                                      "waker",      "log",   "lost",    "lbr"};
  size_t shown = 0;
  for (size_t first = 0; first < std::size(kHostile); ++first) {
    // In the path, too.
    const std::string path = Path("x" + kHostile[first] + ".fxt");
    std::ofstream(path, std::ios::binary)
        << HostileTrace(first, first % 2 == 0 ? ours : std::set<std::string>());
    for (std::vector<std::string> words : commands) {
      words.push_back(path);
      const CommandResult result = Fxt(words);
      EXPECT_LE(result.status, 2) << words[0];
      const bool json = words[0] == "json" || (words.size() > 2 && words[1] == "--json");
      EXPECT_EQ(HarmIn(result.out, true), "") << words[0] << " " << words[1] << " file " << first;
      EXPECT_EQ(HarmIn(result.err, true), "") << words[0] << " " << words[1] << " file " << first;
      if (json && words[0] != "check" && words[0] != "dump" && words[0] != "lbr") {
        EXPECT_TRUE(testing_support::IsJson(result.out)) << words[0];
      }
      shown += result.out.size();
    }
  }
  EXPECT_GT(replaced_, 15u * 30u);
  EXPECT_GT(shown, 100'000u);
}

// No name starts a line of its own.
TEST_F(FxtTerminalTest, NamesStayOnTheirLine) {
  auto parts = analyze::testing::RecordingParts::Sound();
  const auto count = [&](const std::string& name) {
    parts.Replace("app process",
                  fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                    analyze::testing::kApp,
                                    fxt::StringRef::Inline(name),
                                    {}});
    const auto bytes = parts.Bytes();
    const std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    size_t lines = 0;
    for (const char* command : {"info", "dump"}) {
      const std::string out = Fxt({command, "-"}, file).out;
      lines += static_cast<size_t>(std::count(out.begin(), out.end(), '\n'));
    }
    return lines;
  };
  EXPECT_EQ(count("a b c d"), count("a\nb\r\nc\xe2\x80\xa8"));
}

TEST_F(FxtTerminalTest, NoCommandLineControlsTheTerminal) {
  for (const std::string& hostile : kHostile) {
    const std::vector<std::string> lines[] = {
        {hostile},
        {"--x" + hostile},
        {"info", "--x" + hostile},
        {"info", Path("none" + hostile)},
        {"dump", "--type", hostile, Path("none")},
        {"dump", "--from", hostile, Path("none")},
        {"lbr", "--report", hostile, Path("none")},
        {"check", "--max", hostile, Path("none")},
        {"trim", Path("none" + hostile), "-o", Path("out" + hostile)},
        {"import", Path("none" + hostile), "-o", Path("out")},
    };
    for (const auto& words : lines) {
      const CommandResult result = Fxt(words);
      EXPECT_EQ(result.status, 2) << words[0];
      EXPECT_NE(result.err, "");
      EXPECT_EQ(HarmIn(result.err, true), "") << words[0];
    }
  }
}

TEST_F(FxtTerminalTest, ReportsUnknownNamesAndTheNearest) {
  const CommandResult command = Fxt({"frobnicate"});
  EXPECT_EQ(command.status, 2);
  EXPECT_THAT(command.err, HasSubstr("there is no command 'frobnicate'"));
  EXPECT_THAT(command.err, ::testing::Not(HasSubstr("did you mean"))) << "no word is near";
  EXPECT_THAT(Fxt({"script", "file"}).err, HasSubstr("fxt dump"));
  EXPECT_THAT(Fxt({"chekc", "file"}).err, HasSubstr("did you mean 'check'?"));
  EXPECT_THAT(Fxt({"Recover", "a", "-o", "b"}).err, HasSubstr("did you mean 'recover'?"));
  const CommandResult option = Fxt({"dump", "--realtive", "file"});
  EXPECT_EQ(option.status, 2);
  EXPECT_THAT(option.err, HasSubstr("there is no option '--realtive'"));
  EXPECT_THAT(option.err, HasSubstr("did you mean '--relative'?"));
}

}  // namespace
}  // namespace tools
