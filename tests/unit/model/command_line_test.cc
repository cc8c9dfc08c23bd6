// SPDX-License-Identifier: BSD-2-Clause
#include "model/command_line.h"

#include <gtest/gtest.h>

#include <string>

namespace model {
namespace {

std::string Bytes(size_t count, char byte = 'x') { return std::string(count, byte); }

TEST(KeptCommandLineTest, JoinsArguments) {
  const std::string bytes("ls\0-l\0\0\0", 8);
  const CommandLine line = MakeCommandLine(bytes, bytes.size());
  EXPECT_EQ(line.text, "ls -l");
  EXPECT_EQ(line.length, 0u);
  EXPECT_EQ(MakeCommandLine("", 0).text, "");
}

TEST(KeptCommandLineTest, FourKibibytesAreWhole) {
  const std::string bytes = Bytes(4096) + '\0';
  const CommandLine line = MakeCommandLine(bytes, bytes.size());
  EXPECT_EQ(line.text.size(), 4096u);
  EXPECT_EQ(line.length, 0u);
}

TEST(KeptCommandLineTest, TruncatesAndKeepsTheLength) {
  const std::string whole = Bytes(4097) + '\0';
  EXPECT_EQ(MakeCommandLine(whole, whole.size()).text, Bytes(4096));
  EXPECT_EQ(MakeCommandLine(whole, whole.size()).length, 4097u);
  // Only the first bytes are there.
  const CommandLine line = MakeCommandLine(Bytes(4104), 200'000);
  EXPECT_EQ(line.text, Bytes(4096));
  EXPECT_EQ(line.length, 199'999u);
}

TEST(KeptCommandLineTest, TruncatesAtACharacter) {
  const std::string bytes = Bytes(4095) + "\u00e4" + Bytes(100);
  EXPECT_EQ(MakeCommandLine(bytes, bytes.size()).text, Bytes(4095));
}

}  // namespace
}  // namespace model
