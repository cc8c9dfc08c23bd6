// SPDX-License-Identifier: BSD-2-Clause
#include "perf/live/lbr_session.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <time.h>

#include <algorithm>

#include "unit/perf/fake_root.h"
#include "unit/perf/live/fake_kernel.h"
#include "unit/perf/synthetic.h"

namespace perf {
namespace {

using testing::ByteBuilder;
using testing::FakeKernel;
using testing::FakeRoot;
using testing::MakeRecord;

class Collector : public LbrHandler {
 public:
  void OnSample(const BranchStackSample& sample) override { samples.push_back(sample); }
  void OnRecord(unsigned cpu, const Record& record) override {
    records.emplace_back(cpu, record.type);
  }
  std::vector<BranchStackSample> samples;
  std::vector<std::pair<unsigned, uint32_t>> records;
};

// A sample with the fields of MakeLbrAttr() and hw_idx.
std::vector<std::byte> MakeSample(uint32_t tid, uint64_t time, uint32_t cpu, uint64_t branches) {
  ByteBuilder body;
  body.U64(0x401000).U32(10).U32(tid).U64(time).U32(cpu).U32(0).U64(4000).U64(branches).U64(3);
  for (uint64_t i = 0; i < branches; ++i) body.Entry(i + 1, i + 2, 2);
  return MakeRecord(PERF_RECORD_SAMPLE, 0, body);
}

ByteBuilder WithTrailer(ByteBuilder body, uint64_t time, uint32_t cpu) {
  return body.U32(10).U32(11).U64(time).U32(cpu).U32(0);
}

class LbrSessionTest : public ::testing::Test {
 protected:
  LbrSessionTest() {
    root_.Online("0-1").Pmu("cpu", "type", "4").Pmu("cpu", "caps/branches", "32");
  }
  std::unique_ptr<LbrSession> Open() {
    auto session = LbrSession::Open({}, kernel_, root_.path());
    EXPECT_TRUE(session.ok()) << session.error().message;
    return session.ok() ? std::move(*session) : nullptr;
  }
  FakeRoot root_;
  FakeKernel kernel_;
};

TEST_F(LbrSessionTest, OpensEveryOnlineCpuDisabled) {
  const auto session = Open();
  EXPECT_EQ(session->description().cpus, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(session->description().depth, 32u);
  EXPECT_EQ(session->description().pmus, std::vector<std::string>{"cpu"});
  EXPECT_EQ(session->fds().size(), 2u);
  for (const int cpu : {0, 1}) {
    ASSERT_NE(kernel_.FindEvent(cpu), nullptr);
    EXPECT_EQ(kernel_.FindEvent(cpu)->attr.disabled, 1u);
    EXPECT_FALSE(kernel_.FindEvent(cpu)->enabled);
  }
  ASSERT_TRUE(session->Enable().ok());
  EXPECT_TRUE(kernel_.FindEvent(1)->enabled);
  ASSERT_TRUE(session->Disable().ok());
  EXPECT_FALSE(kernel_.FindEvent(1)->enabled);
}

TEST_F(LbrSessionTest, DeliversSamplesAndOtherRecords) {
  const auto session = Open();
  auto first = kernel_.Producer(0);
  auto second = kernel_.Producer(1);
  ASSERT_TRUE(first.Write(MakeSample(11, 1000, 0, 32)));
  ASSERT_TRUE(second.Write(MakeSample(12, 900, 1, 0)));
  ByteBuilder comm;
  comm.U32(10).U32(12).PaddedText("worker");
  ASSERT_TRUE(second.Write(MakeRecord(PERF_RECORD_COMM, 0, WithTrailer(comm, 950, 1))));
  Collector collector;
  EXPECT_FALSE(session->Drain(collector));
  ASSERT_EQ(collector.samples.size(), 2u);
  EXPECT_EQ(collector.samples[0].tid, 11u);
  EXPECT_EQ(collector.samples[0].time, 1000u);
  EXPECT_EQ(collector.samples[0].cpu, 0u);
  EXPECT_EQ(collector.samples[0].hw_idx, 3u);
  EXPECT_EQ(collector.samples[0].entries.size(), 32u);
  EXPECT_EQ(collector.samples[1].tid, 12u);
  EXPECT_TRUE(collector.samples[1].entries.empty());
  EXPECT_EQ(collector.records, (std::vector<std::pair<unsigned, uint32_t>>{{1, PERF_RECORD_COMM}}));
}

TEST_F(LbrSessionTest, AccountsForEveryLoss) {
  const auto session = Open();
  auto producer = kernel_.Producer(0);
  producer.Write(MakeRecord(PERF_RECORD_LOST, 0, WithTrailer(ByteBuilder().U64s({1, 5}), 1000, 0)));
  producer.Write(
      MakeRecord(PERF_RECORD_LOST_SAMPLES, 0, WithTrailer(ByteBuilder().U64(3), 1000, 0)));
  producer.Write(
      MakeRecord(PERF_RECORD_THROTTLE, 0, WithTrailer(ByteBuilder().U64s({1, 2, 3}), 1000, 0)));
  std::vector<std::byte> damaged = MakeSample(11, 1000, 0, 2);
  damaged[8 + 40] = std::byte{200};  // the number of branches
  producer.Write(damaged);
  producer.Write(MakeSample(11, 1001, 0, 1));
  Collector collector;
  session->Drain(collector);
  EXPECT_EQ(collector.samples.size(), 1u);
  EXPECT_EQ(collector.records.size(), 3u);
  EXPECT_EQ(session->lost().at(0).records, 5u);
  EXPECT_EQ(session->lost().at(0).samples, 3u);
  EXPECT_EQ(session->lost().at(0).throttled, 1u);
  EXPECT_EQ(session->lost().at(0).undecodable, 1u);
  EXPECT_EQ(session->lost().at(0).total(), 9u);
  EXPECT_EQ(session->lost().at(1).total(), 0u);
  // A ring that stays full cannot hold its last LOST record.
  kernel_.FindEvent(0)->lost = 7;
  EXPECT_EQ(session->CountUnreported(), (std::map<unsigned, uint64_t>{{0, 2}}));
  EXPECT_EQ(session->lost().at(0).records, 7u);
  EXPECT_TRUE(session->CountUnreported().empty());
}

TEST_F(LbrSessionTest, DoesNotCountALossTwice) {
  const auto session = Open();
  auto producer = kernel_.Producer(0);
  Collector collector;
  const auto lost = [&](uint64_t count) {
    producer.Write(
        MakeRecord(PERF_RECORD_LOST, 0, WithTrailer(ByteBuilder().U64s({1, count}), 1000, 0)));
    session->Drain(collector);
  };
  // Read before the kernel could write a LOST record.
  kernel_.FindEvent(0)->lost = 10;
  EXPECT_EQ(session->CountUnreported(), (std::map<unsigned, uint64_t>{{0, 10}}));
  lost(10);
  EXPECT_TRUE(collector.records.empty());
  EXPECT_EQ(session->lost().at(0).records, 10u);
  // Three more until the LOST record is written.
  kernel_.FindEvent(0)->lost = 15;
  EXPECT_EQ(session->CountUnreported(), (std::map<unsigned, uint64_t>{{0, 5}}));
  kernel_.FindEvent(0)->lost = 18;
  lost(8);
  EXPECT_EQ(collector.records.size(), 1u);
  EXPECT_EQ(session->lost().at(0).records, 18u);
  EXPECT_TRUE(session->CountUnreported().empty());
}

TEST_F(LbrSessionTest, BoundsTheWorkOfOneCall) {
  const auto session = Open();
  auto producer = kernel_.Producer(0);
  while (producer.Write(MakeSample(11, 1000, 0, 32))) {
  }
  Collector collector;
  EXPECT_TRUE(session->Drain(collector, 10000));
  const size_t first = collector.samples.size();
  EXPECT_LT(first, 20u);
  while (session->Drain(collector, 10000)) {
  }
  session->Drain(collector);
  EXPECT_GT(collector.samples.size(), 500u);
}

TEST_F(LbrSessionTest, FollowsCpusThatComeAndGo) {
  const auto session = Open();
  ASSERT_TRUE(session->Enable().ok());
  kernel_.Producer(1).Write(MakeSample(11, 1000, 1, 1));
  Collector collector;
  std::string problem;
  EXPECT_FALSE(session->FollowCpus(collector, &problem));
  root_.Online("0,2");
  EXPECT_TRUE(session->FollowCpus(collector, &problem));
  EXPECT_EQ(problem, "");
  EXPECT_EQ(session->description().cpus, (std::vector<unsigned>{0, 2}));
  // The rest of the ring of a CPU that went offline.
  ASSERT_EQ(collector.samples.size(), 1u);
  EXPECT_EQ(collector.samples[0].cpu, 1u);
  EXPECT_TRUE(kernel_.FindEvent(2)->enabled);
  EXPECT_EQ(session->lost().count(1), 1u);
  root_.Online("0,2-3");
  kernel_.verdict = [](const perf_event_attr&, int cpu) { return cpu == 3 ? EBUSY : 0; };
  EXPECT_FALSE(session->FollowCpus(collector, &problem));
  EXPECT_NE(problem.find("CPU 3"), std::string::npos);
}

TEST_F(LbrSessionTest, LeavesOutACpuThatWentOfflineMeanwhile) {
  kernel_.verdict = [](const perf_event_attr&, int cpu) { return cpu == 1 ? ENODEV : 0; };
  EXPECT_EQ(Open()->description().cpus, std::vector<unsigned>{0});
}

TEST_F(LbrSessionTest, OpensEachKindOfAHybridCpuWithItsOwnEvent) {
  root_.Remove("/sys/bus/event_source/devices/cpu");
  root_.Online("0-3");
  root_.Pmu("cpu_core", "type", "4").Pmu("cpu_core", "cpus", "0-1");
  root_.Pmu("cpu_atom", "type", "10").Pmu("cpu_atom", "cpus", "2-3");
  kernel_.verdict = [](const perf_event_attr& attr, int cpu) {
    const uint64_t pmu = attr.config >> 32;
    if (pmu != (cpu < 2 ? 4u : 10u)) return ENOENT;
    // The small cores have no branch types here.
    return cpu >= 2 && HasFeature(OptionalFeature::kBranchType, attr) ? EINVAL : 0;
  };
  const auto session = Open();
  EXPECT_EQ(session->description().pmus, (std::vector<std::string>{"cpu_core", "cpu_atom"}));
  EXPECT_EQ(session->description().cpus, (std::vector<unsigned>{0, 1, 2, 3}));
  EXPECT_EQ(session->description().refused,
            std::vector<OptionalFeature>{OptionalFeature::kBranchType});
  EXPECT_TRUE(HasFeature(OptionalFeature::kBranchType, kernel_.FindEvent(0)->attr));
  EXPECT_FALSE(HasFeature(OptionalFeature::kBranchType, kernel_.FindEvent(2)->attr));
}

// Keeps the CPU busy.
void Burn() {
  for (int i = 0; i < 100000; ++i) asm volatile("");
}

uint64_t Now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// The whole path on this machine, with the CPU clock instead of the hardware event.
TEST(LbrSessionLiveTest, TakesSamplesOfTheCpuClock) {
  LbrOptions options;
  options.frequency = 2000;
  auto session = LbrSession::OpenStandIn(options);
  if (!session) GTEST_SKIP() << session.error().message;
  const uint64_t begin = Now();
  const uint64_t cpu_time = Now(CLOCK_THREAD_CPUTIME_ID);
  ASSERT_TRUE((*session)->Enable().ok());
  Collector collector;
  bool woken = false;
  // On a busy machine other programs run for a while, and their samples may fill the buffers.
  uint64_t drained = begin;
  uint64_t longest = 0;
  while (Now(CLOCK_THREAD_CPUTIME_ID) - cpu_time < 300'000'000) {
    Burn();
    const uint64_t now = Now();
    longest = std::max(longest, now - drained);
    drained = now;
    std::vector<pollfd> polled;
    for (const int fd : (*session)->fds()) polled.push_back({fd, POLLIN, 0});
    woken |= poll(polled.data(), polled.size(), 0) > 0;
    (*session)->Drain(collector);
  }
  ASSERT_TRUE((*session)->Disable().ok());
  (*session)->Drain(collector);
  const uint64_t end = Now();
  const auto mine = static_cast<uint32_t>(getpid());
  size_t own = 0;
  for (const BranchStackSample& sample : collector.samples) {
    own += sample.pid == mine;
    EXPECT_GE(sample.time, begin);
    EXPECT_LE(sample.time, end);
    EXPECT_TRUE(sample.ip.has_value());
    EXPECT_TRUE(sample.cpu.has_value());
  }
  EXPECT_GT(own, 20u);
  (*session)->CountUnreported();
  for (const auto& [cpu, lost] : (*session)->lost()) {
    EXPECT_EQ(lost.undecodable, 0u);
    EXPECT_TRUE(lost.records == 0 || longest > 100'000'000) << lost.records;
  }
}

// An undrained ring: every record that does not fit is counted.
TEST(LbrSessionLiveTest, CountsRecordsThatDoNotFitTheRing) {
  LbrOptions options;
  options.period = 20000;  // ns
  options.ring_bytes = 1;
  auto session = LbrSession::OpenStandIn(options);
  if (!session) GTEST_SKIP() << session.error().message;
  ASSERT_TRUE((*session)->Enable().ok());
  const uint64_t begin = Now();
  while (Now() - begin < 200'000'000) {
  }
  ASSERT_TRUE((*session)->Disable().ok());
  Collector collector;
  (*session)->Drain(collector);
  const auto unreported = (*session)->CountUnreported();
  uint64_t lost = 0;
  for (const auto& [cpu, each] : (*session)->lost()) lost += each.records;
  if (lost == 0) GTEST_SKIP() << "the kernel throttled the event before the ring was full";
  EXPECT_FALSE(unreported.empty());
}

// With the hardware, if there is one.
TEST(LbrSessionLiveTest, TakesBranchStacks) {
  auto session = LbrSession::Open({});
  if (!session) GTEST_SKIP() << session.error().message;
  ASSERT_TRUE((*session)->Enable().ok());
  const uint64_t begin = Now();
  Collector collector;
  while (Now() - begin < 300'000'000) {
    Burn();
    (*session)->Drain(collector);
  }
  size_t filled = 0;
  for (const BranchStackSample& sample : collector.samples) {
    EXPECT_LE(sample.entries.size(), 1024u);
    for (const BranchEntry& entry : sample.entries) filled += !entry.unfilled();
  }
  EXPECT_GT(filled, 0u);
}

}  // namespace
}  // namespace perf
