// SPDX-License-Identifier: BSD-2-Clause
#include "branches/last_branch_blob.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/perf/synthetic.h"

namespace branches {
namespace {

using perf::testing::ByteBuilder;
using perf::testing::MakeFlags;

perf::BranchStackSample PlainSample(size_t branches) {
  perf::BranchStackSample sample;
  sample.time = 1234;
  sample.cpu = 1;
  sample.pid = sample.tid = 4321;
  for (size_t i = 0; i < branches; ++i) {
    sample.entries.push_back({i * 100, i * 100 + 50, MakeFlags({.predicted = true})});
  }
  return sample;
}

std::optional<perf::BranchStackSample> Decode(const branches::EncodedStack& stack) {
  branches::StackDecoder decoder;
  EXPECT_TRUE(decoder.TakeBlob(stack.blob).ok());
  for (const auto& companion : stack.companions) {
    const auto taken = decoder.TakeCompanion(branches::BlobName(stack.cpu) + ".lbr-ext", companion);
    EXPECT_TRUE(taken.ok()) << taken.error().message;
    EXPECT_TRUE(taken.ok() && *taken);
  }
  return decoder.Finish();
}

void ExpectRoundTrip(const perf::BranchStackSample& sample) {
  branches::EncodedStack stack;
  branches::EncodeStack(sample, &stack);
  const auto decoded = Decode(stack);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, sample);
}

TEST(LastBranchBlobTest, HasFuchsiasLayout) {
  // The values of vector B2 (see the format vectors): 4 branches on CPU 1.
  perf::BranchStackSample sample = PlainSample(4);
  for (size_t i = 0; i < 4; ++i) {
    sample.entries[i].flags = MakeFlags({.predicted = true, .cycles = uint16_t(i * 69)});
  }
  ByteBuilder expected;
  expected.U16(1).U16(4).U32(0).U64(1234).U64(4321);
  expected.Entry(0, 50, 0).Entry(100, 150, 69).Entry(200, 250, 138).Entry(300, 350, 207);
  branches::EncodedStack stack;
  branches::EncodeStack(sample, &stack);
  EXPECT_EQ(stack.blob, expected.bytes());
  EXPECT_EQ(branches::BlobName(stack.cpu), "cpu1");
  EXPECT_TRUE(stack.companions.empty());
  EXPECT_EQ(Decode(stack), sample);
}

TEST(LastBranchBlobTest, PutsFlagsWhereTheHardwareHasThem) {
  EXPECT_EQ(branches::InfoFromFlags(MakeFlags({.mispredicted = true, .cycles = 0xabcd})),
            0x800000000000abcd);
  EXPECT_EQ(branches::InfoFromFlags(MakeFlags({.predicted = true, .in_transaction = true})),
            0x4000000000000000u);
  EXPECT_EQ(branches::InfoFromFlags(MakeFlags({.predicted = true, .aborted = true})),
            0x2000000000000000u);
  EXPECT_EQ(
      branches::FlagsFromInfo(0xe000000000000001),
      MakeFlags({.mispredicted = true, .in_transaction = true, .aborted = true, .cycles = 1}));
  EXPECT_EQ(branches::FlagsFromInfo(0), MakeFlags({.predicted = true}));
  // The position of the bit in an older header.
  EXPECT_EQ(branches::FlagsFromInfo(0x10005), MakeFlags({.mispredicted = true, .cycles = 5}));
}

TEST(LastBranchBlobTest, KeepsFieldsThatTheLayoutLacks) {
  perf::BranchStackSample sample = PlainSample(3);
  sample.tid = 4322;
  ExpectRoundTrip(sample);
  sample.ip = 0x401000;
  sample.period = 4000;
  sample.hw_idx = ~uint64_t{0};
  sample.event = "cycles:u";
  ExpectRoundTrip(sample);
  sample.entries[0].flags = 0;  // neither predicted nor mispredicted
  sample.entries[1].flags = MakeFlags({.mispredicted = true, .predicted = true});
  sample.entries[2].flags = MakeFlags({.predicted = true,
                                       .cycles = 7,
                                       .type = PERF_BR_EXTEND_ABI,
                                       .speculation = PERF_BR_SPEC_WRONG_PATH,
                                       .new_type = 3,
                                       .privilege = PERF_BR_PRIV_KERNEL}) |
                            uint64_t{1} << 63;  // and a bit that has no name yet
  ExpectRoundTrip(sample);
  sample.counters = {1, 2, 3};
  ExpectRoundTrip(sample);
  sample.cpu.reset();
  ExpectRoundTrip(sample);
  sample.entries.clear();
  sample.counters.clear();
  ExpectRoundTrip(sample);
}

TEST(LastBranchBlobTest, CarriesStacksLongerThanABlob) {
  for (const size_t branches : {32, 33, 64, 32 + 512, 32 + 513, 2730}) {
    perf::BranchStackSample sample = PlainSample(branches);
    branches::EncodedStack stack;
    branches::EncodeStack(sample, &stack);
    EXPECT_EQ(stack.blob.size(), 24 + 24 * 32u);
    EXPECT_EQ(stack.companions.empty(), branches == 32);
    for (const auto& companion : stack.companions) EXPECT_LE(companion.size(), 0x7fffu);
    EXPECT_EQ(Decode(stack), sample);
    sample.counters.resize(branches, 7);
    sample.tid = 1;
    sample.entries.back().flags = MakeFlags({.privilege = PERF_BR_PRIV_USER});
    ExpectRoundTrip(sample);
  }
}

TEST(LastBranchBlobTest, LeavesOtherBlobsAlone) {
  perf::BranchStackSample sample = PlainSample(2);
  sample.ip = 1;
  branches::EncodedStack stack;
  branches::EncodeStack(sample, &stack);
  ASSERT_EQ(stack.companions.size(), 1u);
  branches::StackDecoder decoder;
  EXPECT_FALSE(*decoder.TakeCompanion("cpu1.lbr-ext", stack.companions[0]));  // no blob before it
  ASSERT_TRUE(decoder.TakeBlob(stack.blob).ok());
  EXPECT_FALSE(*decoder.TakeCompanion("cpu2.lbr-ext", stack.companions[0]));
  EXPECT_FALSE(*decoder.TakeCompanion("notes", stack.companions[0]));
  std::vector<std::byte> other_time = stack.companions[0];
  other_time[8] ^= std::byte{1};
  EXPECT_FALSE(*decoder.TakeCompanion("cpu1.lbr-ext", other_time));
  std::vector<std::byte> other_version = stack.companions[0];
  other_version[0] = std::byte{2};
  EXPECT_FALSE(*decoder.TakeCompanion("cpu1.lbr-ext", other_version));
  EXPECT_FALSE(decoder.Finish()->ip.has_value());
  EXPECT_FALSE(decoder.Finish().has_value());
}

TEST(LastBranchBlobTest, RefusesDamagedBlobs) {
  perf::BranchStackSample sample = PlainSample(40);
  sample.tid = 1;
  sample.ip = 2;
  sample.event = "cycles";
  sample.counters.resize(40, 3);
  branches::EncodedStack stack;
  branches::EncodeStack(sample, &stack);
  branches::StackDecoder decoder;
  for (size_t size = 0; size < stack.blob.size(); ++size) {
    EXPECT_FALSE(decoder.TakeBlob(util::Bytes(stack.blob).first(size)).ok());
    EXPECT_FALSE(decoder.Finish().has_value());
  }
  ASSERT_EQ(stack.companions.size(), 2u);
  for (const auto& companion : stack.companions) {
    for (size_t size = 0; size < companion.size(); ++size) {
      ASSERT_TRUE(decoder.TakeBlob(stack.blob).ok());
      EXPECT_FALSE(decoder.TakeCompanion("cpu1.lbr-ext", util::Bytes(companion).first(size)).ok());
      // The data of the blob itself stays valid.
      EXPECT_EQ(decoder.Finish()->entries.size(), 32u);
    }
    for (size_t i = 0; i < companion.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::vector<std::byte> flipped = companion;
        flipped[i] ^= std::byte(1 << bit);
        ASSERT_TRUE(decoder.TakeBlob(stack.blob).ok());
        (void)decoder.TakeCompanion("cpu1.lbr-ext", flipped);
        EXPECT_LE(decoder.Finish()->entries.size(), 0x10000u);
      }
    }
  }
}

}  // namespace
}  // namespace branches
