// SPDX-License-Identifier: BSD-2-Clause
#include "schema/koid.h"

#include <gtest/gtest.h>

#include <set>

namespace schema {
namespace {

constexpr uint32_t kPidMaxLimit = 1u << 22;  // include/linux/threads.h
constexpr uint32_t kMaxCpus = 8192;          // CONFIG_NR_CPUS of the largest kernels

TEST(KoidTest, FirstUseOfATidIsTheTid) {
  EXPECT_EQ(schema::MakeKoid(1, 0), 1u);
  EXPECT_EQ(schema::MakeKoid(kPidMaxLimit - 1, 0), kPidMaxLimit - 1);
}

TEST(KoidTest, LaterUsesKeepTheTidInTheLowBits) {
  for (uint32_t generation : {1u, 2u, schema::kMaxGeneration}) {
    for (uint32_t tid : {1u, 4711u, kPidMaxLimit - 1}) {
      const fxt::Koid koid = schema::MakeKoid(tid, generation);
      EXPECT_EQ(schema::TidOfKoid(koid), tid);
      EXPECT_EQ(schema::GenerationOfKoid(koid), generation);
      EXPECT_LT(koid, uint64_t{1} << 32);
    }
  }
}

TEST(KoidTest, TrackKoidsAreNotTids) {
  std::set<fxt::Koid> threads;
  for (uint32_t cpu = 0; cpu < kMaxCpus; ++cpu) {
    for (fxt::Koid koid : {schema::IdleKoid(cpu), schema::IrqKoid(cpu), schema::SoftirqKoid(cpu),
                           schema::LostKoid(cpu)}) {
      EXPECT_TRUE(threads.insert(koid).second);
      EXPECT_GT(schema::GenerationOfKoid(koid), schema::kMaxGeneration);
      EXPECT_LT(koid, uint64_t{1} << 32);
    }
  }
  EXPECT_TRUE(threads.insert(schema::RecorderKoid()).second);
  EXPECT_GT(schema::GenerationOfKoid(schema::RecorderKoid()), schema::kMaxGeneration);
}

TEST(KoidTest, PseudoProcessKoidsAreNotTgids) {
  const std::set<fxt::Koid> processes = {schema::kIrqProcessKoid, schema::kSoftirqProcessKoid,
                                         schema::kRecorderProcessKoid, schema::kLostProcessKoid};
  EXPECT_EQ(processes.size(), 4u);
  for (fxt::Koid koid : processes) {
    EXPECT_GT(schema::GenerationOfKoid(koid), schema::kMaxGeneration);
    EXPECT_LT(koid, uint64_t{1} << 32);
  }
  // Viewers take process 0 for the idle one.
  EXPECT_EQ(schema::kIdleProcessKoid, 0u);
}

}  // namespace
}  // namespace schema
