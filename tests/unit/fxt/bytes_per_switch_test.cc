// SPDX-License-Identifier: BSD-2-Clause
// The average size of a context switch in the file, including everything it needs.
#include <gtest/gtest.h>

#include <map>

#include "fxt/provider_writer.h"
#include "unit/fxt/support/collecting_sink.h"
#include "unit/fxt/support/switch_streams.h"
#include "unit/fxt/support/word_checker.h"

namespace fxt {
namespace {

using testing::Step;

// Writes `steps` and checks the threads of every switch.
double BytesPerSwitch(const std::vector<Step>& steps) {
  testing::CollectingSink sink;
  ArchiveWriter archive(sink);
  ProviderWriter writer(archive, "fxt-record");
  std::map<uint32_t, Koid> koids;
  Koid last_koid = 0;
  const auto key = [&](uint32_t handle) {
    Koid& koid = koids[handle];
    if (koid == 0) koid = ++last_koid;
    return ThreadKey{.handle = handle, .process = 1, .thread = koid};
  };
  std::vector<testing::SeenSwitch> expected;
  for (const Step& step : steps) {
    if (step.kind == Step::Kind::kDeath) {
      writer.ForgetThread(step.incoming);
      koids.erase(step.incoming);
      continue;
    }
    const ThreadKey outgoing = key(step.outgoing);
    const ThreadKey incoming = key(step.incoming);
    const Ticks time = expected.size();
    EXPECT_EQ(writer.WriteContextSwitch(time, step.cpu, ThreadState::kBlocked, outgoing, incoming,
                                        120, 120),
              EncodeStatus::kOk);
    expected.push_back(
        {time, {outgoing.process, outgoing.thread}, {incoming.process, incoming.thread}});
  }
  EXPECT_TRUE(archive.Flush());
  const testing::WordChecker checker(sink.words);
  EXPECT_EQ(checker.problems, std::vector<std::string>());
  EXPECT_TRUE(checker.switches == expected);
  return static_cast<double>(archive.bytes()) / static_cast<double>(expected.size());
}

TEST(BytesPerSwitchTest, UpTo255Threads) {
  EXPECT_LE(BytesPerSwitch(testing::Messaging(220, 2, 60'000, 1)), 16.5);
  EXPECT_LE(BytesPerSwitch(testing::Messaging(255, 8, 60'000, 2)), 16.5);
}

TEST(BytesPerSwitchTest, MoreThreadsThanATableHolds) {
  EXPECT_LE(BytesPerSwitch(testing::Messaging(423, 2, 120'000, 1)), 18.5);
  EXPECT_LE(BytesPerSwitch(testing::Messaging(838, 2, 120'000, 1)), 23);
  EXPECT_LE(BytesPerSwitch(testing::Messaging(838, 16, 120'000, 1)), 23);
}

// Inline references for both sides would take 48 bytes.
TEST(BytesPerSwitchTest, ForkStorm) {
  EXPECT_LE(BytesPerSwitch(testing::ForkStorm(50'000, 2, 1)), 24);
}

// Tables cannot help here, but must not cost much.
TEST(BytesPerSwitchTest, ThreadsInRandomOrder) {
  EXPECT_LE(BytesPerSwitch(testing::Uniform(5'000, 2, 60'000, 1)), 48);
}

}  // namespace
}  // namespace fxt
