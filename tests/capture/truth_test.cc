// SPDX-License-Identifier: BSD-2-Clause
// The recording and ftrace agree on every switch of the same seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "capture/ftrace/truth_run.h"
#include "capture/support/environment.h"
#include "capture/support/recording.h"

namespace truth {
namespace {

struct Workload {
  const char* name;
  bool odd;  // a part of odd_tasks instead of workload
  std::vector<std::string> arguments;
  size_t least_switches;  // in its window, which shows that it ran
};

void PrintTo(const Workload& workload, std::ostream* out) { *out << workload.name; }

class Truth : public testing::TestWithParam<Workload> {};

TEST_P(Truth, MatchesFtrace) {
  REQUIRE_CAPTURE();
  const TempDir dir;
  TruthRunOptions options;
  options.recorder = {"nice", "-n", "-20", RecorderPath()};
  options.trace_path = dir.File("trace.fxt");
  options.recorder_options = {"--stats-json", dir.File("stats.json")};
  options.workload = {"nice", "-n", "20", GetParam().odd ? OddTasksPath() : WorkloadPath()};
  options.workload.insert(options.workload.end(), GetParam().arguments.begin(),
                          GetParam().arguments.end());
  options.window_program = ComparePath();
  options.buffer_kib = 160 * 1024;
  const auto run = RunUnderBoth(options);
  ASSERT_TRUE(run.ok()) << run.error().message << "\n" << run.error().hint;
  const std::string description = run->Describe();
  printf("%s", description.c_str());
  EXPECT_TRUE(run->comparison.exact()) << description;
  EXPECT_GE(run->comparison.total.matched, GetParam().least_switches);
  EXPECT_EQ(run->comparison.total.declared_lost, 0u);
  EXPECT_EQ(run->recorded.lost(), 0u);
  EXPECT_EQ(run->recorded.provider_events, 0u);
  EXPECT_EQ(run->recorded.switches_out_of_order, 0u);
  EXPECT_EQ(run->recorded.problem_count, 0u) << description;
  const auto stats = CaptureStats::Read(dir.File("stats.json"));
  ASSERT_TRUE(stats.ok()) << stats.error().message;
  EXPECT_EQ(stats->raw_events, stats->records + stats->suppressed + stats->dropped)
      << stats->json.dump(1);
}

INSTANTIATE_TEST_SUITE_P(
    Of, Truth,
    testing::Values(
        Workload{"PingPongOnCpu0", false, {"pingpong", "--cpu", "0", "--count", "100000"}, 200'000},
        Workload{"PingPongOnLastCpu", false, {"pingpong", "--count", "20000"}, 20'000},
        Workload{"Messaging",
                 false,
                 {"messaging", "--groups", "10", "--pairs", "10", "--count", "240"},
                 2'000},
        Workload{"ForkStorm", false, {"forkstorm", "--count", "5000"}, 5'000},
        Workload{"ForkStormExec", false, {"forkstorm", "--count", "600", "--exec"}, 600},
        Workload{"Renames", false, {"renames"}, 10},
        Workload{"Priorities", false, {"priorities"}, 10},
        Workload{"StopContinue", false, {"stopcont"}, 10},
        Workload{"HostileNames", false, {"hostile-names"}, 10},
        Workload{"Threads", false, {"threads", "--count", "600"}, 600},
        Workload{"Script", false, {"script", "--rounds", "2"}, 500},
        Workload{"ExecFromThread", true, {"exec-from-thread", "--times", "50"}, 100},
        Workload{"Vfork", true, {"vfork", "--times", "200"}, 200},
        Workload{"Ptrace", true, {"ptrace", "--times", "300"}, 300},
        Workload{"RenameByOther", true, {"other-rename", "--times", "1000"}, 1'000},
        Workload{"ReuseTid", true, {"reuse-tid", "--times", "100"}, 300},
        Workload{"Migrate", true, {"migrate", "--times", "3000"}, 1'000},
        Workload{"Storm", true, {"storm", "--times", "1500"}, 5'000}),
    [](const testing::TestParamInfo<Workload>& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace truth
