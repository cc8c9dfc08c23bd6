// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_filter.h"

#include <gtest/gtest.h>

#include "unit/analyze/lbr/lbr_parts.h"

namespace analyze {
namespace {

using fxt::KernelObjectType;
using testing::MakeObject;
using testing::MakeStack;

struct Taken : LbrVisitor {
  void OnStart(uint64_t time) override { start = time; }
  void OnSample(const perf::BranchStackSample& sample) override { times.push_back(sample.time); }
  void OnModule(const ModuleDeclaration&) override { ++modules; }
  void OnMapping(const MappingDeclaration&) override { ++mappings; }
  void OnKernelObject(const fxt::KernelObject&) override { ++objects; }
  bool WantsMore() const override { return wants_more; }
  std::vector<uint64_t> times;
  uint64_t start = 0;
  int modules = 0;
  int mappings = 0;
  int objects = 0;
  bool wants_more = true;
};

// Samples at 1000, 1010, ... of: server/20 on CPU 0, its worker/21 on CPU 1, client/30 on CPU 1,
// the idle task, and a thread without a CPU.
std::vector<uint64_t> Sift(LbrSelection selection) {
  Taken taken;
  LbrFilter filter(std::move(selection), taken);
  filter.OnStart(1000);
  filter.OnKernelObject(MakeObject(KernelObjectType::kProcess, 20, "server"));
  filter.OnKernelObject(MakeObject(KernelObjectType::kThread, 20, "server"));
  filter.OnKernelObject(MakeObject(KernelObjectType::kThread, 21, "worker"));
  filter.OnKernelObject(MakeObject(KernelObjectType::kProcess, 30, "client"));
  filter.OnKernelObject(MakeObject(KernelObjectType::kThread, 30, "client"));
  std::vector<perf::BranchStackSample> samples = {MakeStack(20, 20, 1000), MakeStack(20, 21, 1010),
                                                  MakeStack(30, 30, 1020), MakeStack(0, 0, 1030),
                                                  MakeStack(20, 21, 1040)};
  for (size_t i = 0; i < 4; ++i) samples[i].cpu = i == 0 ? 0 : 1;
  for (const auto& sample : samples) filter.OnSample(sample);
  EXPECT_EQ(filter.samples(), samples.size());
  EXPECT_EQ(taken.start, 1000u);
  EXPECT_EQ(taken.objects, 5);
  return taken.times;
}

using Times = std::vector<uint64_t>;

TEST(LbrFilterTest, LetsEverythingThroughByDefault) {
  EXPECT_EQ(Sift({}), (Times{1000, 1010, 1020, 1030, 1040}));
}

TEST(LbrFilterTest, ChoosesByTime) {
  const Moment from{false, 10};
  const Moment to{false, 30};
  const auto between = [](std::optional<Moment> first, std::optional<Moment> last) {
    LbrSelection selection;
    selection.time = TimeRange(first, last);
    return Sift(selection);
  };
  EXPECT_EQ(between(from, to), (Times{1010, 1020, 1030}));
  EXPECT_EQ(between(Moment{true, 1021}, std::nullopt), (Times{1030, 1040}));
  EXPECT_EQ(between(std::nullopt, Moment{true, 1000}), (Times{1000}));
}

TEST(LbrFilterTest, ChoosesByThreadAndProcess) {
  LbrSelection by_tid;
  by_tid.threads.Add("21");
  EXPECT_EQ(Sift(by_tid), (Times{1010, 1040}));
  LbrSelection by_name;
  by_name.threads.Add("work*");
  by_name.threads.Add("swapper");
  EXPECT_EQ(Sift(by_name), (Times{1010, 1030, 1040}));
  LbrSelection by_process;
  by_process.processes.Add("server");
  EXPECT_EQ(Sift(by_process), (Times{1000, 1010, 1040}));
  by_process.threads.Add("20");
  EXPECT_EQ(Sift(by_process), (Times{1000}));
  LbrSelection by_pid;
  by_pid.processes.Add("30");
  EXPECT_EQ(Sift(by_pid), (Times{1020}));
  LbrSelection absent;
  absent.threads.Add("absent");
  EXPECT_TRUE(Sift(absent).empty());
}

TEST(LbrFilterTest, ChoosesByCpu) {
  LbrSelection selection;
  selection.cpus = {1};
  EXPECT_EQ(Sift(selection), (Times{1010, 1020, 1030}));
  selection.cpus = {0, 5};
  EXPECT_EQ(Sift(selection), (Times{1000}));
}

TEST(LbrFilterTest, KeepsModulesAndMappings) {
  Taken taken;
  LbrSelection selection;
  selection.cpus = {7};
  LbrFilter filter(selection, taken);
  filter.OnModule({});
  filter.OnMapping({});
  EXPECT_EQ(taken.modules, 1);
  EXPECT_EQ(taken.mappings, 1);
  EXPECT_TRUE(filter.WantsMore());
  taken.wants_more = false;
  EXPECT_FALSE(filter.WantsMore());
}

}  // namespace
}  // namespace analyze
