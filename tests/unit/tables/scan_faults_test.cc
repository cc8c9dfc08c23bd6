// SPDX-License-Identifier: BSD-2-Clause
#include "tables/scan_faults.h"

#include <gtest/gtest.h>

namespace tables {
namespace {

TEST(ScanFaultsTest, JoinHasWhatEitherScanFound) {
  ScanFaults faults{.is_incomplete = true, .malformed = 3, .cut_texts = 1};
  faults.Join({.error = "damaged", .is_cut_short = true, .malformed = 3, .paths_left_out = 7});
  EXPECT_EQ(faults.error, "damaged");
  EXPECT_TRUE(faults.is_cut_short);
  EXPECT_TRUE(faults.is_incomplete);
  EXPECT_EQ(faults.malformed, 3u);
  EXPECT_EQ(faults.cut_texts, 1u);
  EXPECT_EQ(faults.paths_left_out, 7u);
}

TEST(ScanFaultsTest, BeyondWhatIsKnownIsTheRest) {
  const ScanFaults known{.is_cut_short = true, .malformed = 3};
  const ScanFaults found{
      .is_cut_short = true, .malformed = 3, .dropped_names = 2, .paths_left_out = 7};
  const ScanFaults rest = found.Beyond(known);
  EXPECT_FALSE(rest.is_cut_short);
  EXPECT_EQ(rest.malformed, 0u);
  EXPECT_EQ(rest.dropped_names, 2u);
  EXPECT_EQ(rest.paths_left_out, 7u);
  EXPECT_EQ(found.Beyond({}).malformed, 3u);
}

}  // namespace
}  // namespace tables
