// SPDX-License-Identifier: BSD-2-Clause
// A recorder in a time namespace, whose clocks differ from the kernel's.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include <nlohmann/json.hpp>

#include "capture/support/clock.h"
#include "capture/support/environment.h"
#include "capture/support/expect.h"
#include "capture/support/recording.h"

namespace truth {
namespace {

struct Offsets {
  const char* name;
  // In seconds. Negative offsets are limited so that the clock stays positive.
  int64_t monotonic;
  int64_t boottime;
};

void PrintTo(const Offsets& offsets, std::ostream* out) { *out << offsets.name; }

class TimeNamespace : public testing::TestWithParam<Offsets> {};

int64_t Possible(int64_t offset) {
  return std::max(offset, -static_cast<int64_t>(BootTimeNs() / 2'000'000'000));
}

TEST_P(TimeNamespace, RecordsAsOutside) {
  REQUIRE_CAPTURE();
  const std::vector<std::string> prefix = {
      "unshare",     "--time",
      "--monotonic", std::to_string(Possible(GetParam().monotonic)),
      "--boottime",  std::to_string(Possible(GetParam().boottime)),
      "--fork"};
  auto inside = [&](const std::vector<std::string>& command) {
    std::vector<std::string> all = prefix;
    all.insert(all.end(), command.begin(), command.end());
    return RunCommand(all, kLimit);
  };
  const CommandResult possible = inside({"true"});
  if (possible.exit_code != 0) GTEST_SKIP() << "SKIPPED: no time namespace: " << possible.err;

  const TempDir dir;
  const std::string trace = dir.File("trace.fxt");
  const uint64_t before = BootTimeNs();
  const CommandResult recorded =
      inside(RecordCommand(trace, {"-c", "sched,task", "--stats-json", dir.File("stats.json")},
                           {WorkloadPath(), "pingpong", "--cpu", "0", "--count", "1000"}));
  const uint64_t after = BootTimeNs();
  ASSERT_TRUE(Exited(recorded, 0)) << recorded.Describe();
  FxtLog log;
  EXPECT_TRUE(IsWholeFile(trace, &log));
  EXPECT_EQ(log.lost(), 0u);
  EXPECT_GT(log.log.switch_count(), 1000u);

  const CommandResult info = RunCommand({FxtToolPath(), "info", "--json", trace}, kLimit);
  ASSERT_TRUE(Exited(info, 0)) << info.Describe();
  const auto json = nlohmann::json::parse(info.out);
  // The first record with a time is the start of the session.
  EXPECT_GE(json.value("first_time_ns", uint64_t{0}), before);
  EXPECT_LE(json.value("last_time_ns", uint64_t{0}), after);
  EXPECT_LE(json.value("first_time_ns", uint64_t{0}), log.first_ns);
  EXPECT_GE(log.first_ns, before);
  EXPECT_LE(log.last_ns, after);
  const auto stats = CaptureStats::Read(dir.File("stats.json"));
  ASSERT_TRUE(stats.ok()) << stats.error().message;
  EXPECT_GT(stats->json["duration_ns"].get<uint64_t>(), 0u);
  EXPECT_LE(stats->json["duration_ns"].get<uint64_t>(), after - before);
}

INSTANTIATE_TEST_SUITE_P(Of, TimeNamespace,
                         testing::Values(Offsets{"ahead", 1'000'000, 1'000'000},
                                         Offsets{"behind", -1'000'000, -1'000'000},
                                         Offsets{"monotonic_ahead", 1'000'000, 0},
                                         Offsets{"boottime_ahead", 0, 1'000'000},
                                         Offsets{"apart", 1'000'000, -1'000'000},
                                         Offsets{"apart_the_other_way", -1'000'000, 1'000'000}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace truth
