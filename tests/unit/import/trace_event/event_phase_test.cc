// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/event_phase.h"

#include <gtest/gtest.h>

#include <string_view>

#include "import/trace_event/ftrace_line.h"

namespace importer {
namespace {

StoredKind KindOfLetter(char letter) {
  const auto phase = EventPhaseOf(letter);
  EXPECT_TRUE(phase.has_value()) << letter;
  return phase.value_or(EventPhase{}).kind;
}

// ftrace markers and JSON use the same letters.
TEST(EventPhaseTest, EveryFtraceMarkerHasAKind) {
  for (const auto& [line, kind] :
       {std::pair("B|1|name", StoredKind::kDurationBegin),
        std::pair("E|1", StoredKind::kDurationEnd), std::pair("I|1|name", StoredKind::kInstant),
        std::pair("C|1|name|5", StoredKind::kCounter),
        std::pair("S|1|name|7", StoredKind::kAsyncBegin),
        std::pair("F|1|name|7", StoredKind::kAsyncEnd)}) {
    const auto mark = FtraceMark::Parse(line);
    ASSERT_TRUE(mark.has_value()) << line;
    EXPECT_EQ(KindOfLetter(mark->phase), kind) << line;
  }
}

// `fxt json` writes exactly one phase per kind.
TEST(EventPhaseTest, OnePhasePerKindIsUsual) {
  for (const auto& [letters, usual] :
       {std::pair("iIPRcVv()=", 'i'), std::pair("bSN", 'b'), std::pair("nTp", 'n'),
        std::pair("eFD", 'e'), std::pair("BEXCstf", '\0')}) {
    for (const char letter : std::string_view(letters)) {
      const auto phase = EventPhaseOf(letter);
      ASSERT_TRUE(phase.has_value()) << letter;
      EXPECT_EQ(phase->usual, usual == '\0' || letter == usual) << letter;
      if (usual != '\0') {
        EXPECT_EQ(phase->kind, KindOfLetter(usual)) << letter;
      }
    }
  }
}

TEST(EventPhaseTest, KnowsTheScopeOfIds) {
  for (const char letter : std::string_view("bneSTpFstfVv()=C")) {
    EXPECT_EQ(EventPhaseOf(letter).value_or(EventPhase{}).id, PhaseId::kShared) << letter;
  }
  for (const char letter : std::string_view("NOD")) {
    EXPECT_EQ(EventPhaseOf(letter).value_or(EventPhase{}).id, PhaseId::kLocal) << letter;
  }
  for (const char letter : std::string_view("BEXiIPRc")) {
    EXPECT_EQ(EventPhaseOf(letter).value_or(EventPhase{}).id, PhaseId::kNone) << letter;
  }
}

// Metadata, kernel records and unknown letters have no phase.
TEST(EventPhaseTest, OtherLettersHaveNoKind) {
  for (int letter = 0; letter < 256; ++letter) {
    const bool known =
        std::string_view("BEXCiIPRcVv()=bSnTpeFNDOstf").find(static_cast<char>(letter)) !=
        std::string_view::npos;
    EXPECT_EQ(EventPhaseOf(static_cast<char>(letter)).has_value(), known) << letter;
  }
}

}  // namespace
}  // namespace importer
