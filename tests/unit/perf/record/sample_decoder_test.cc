// SPDX-License-Identifier: BSD-2-Clause
// All samples here are synthetic: no recording at hand has these fields.
#include "perf/record/sample_decoder.h"

#include <gtest/gtest.h>

#include "unit/perf/synthetic.h"

namespace perf {
namespace {

using testing::BranchFlags;
using testing::ByteBuilder;
using testing::MakeFlags;

SampleFormat Format(uint64_t sample_type, uint64_t branch_sample_type = 0) {
  SampleFormat format;
  format.sample_type = sample_type;
  format.branch_sample_type = branch_sample_type;
  return format;
}

TEST(SampleDecoderTest, ReadsEveryFieldInTheKernelsOrder) {
  SampleFormat format = Format((uint64_t{PERF_SAMPLE_MAX} - 1) & ~uint64_t{PERF_SAMPLE_WEIGHT},
                               PERF_SAMPLE_BRANCH_HW_INDEX);
  format.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
                       PERF_FORMAT_ID | PERF_FORMAT_LOST;
  format.user_registers = 0b101;
  format.interrupt_registers = 0b1110;
  ByteBuilder body;
  body.U64(71).U64(0x401000).U32(10).U32(11).U64(1000).U64(0xadd7e55).U64(71).U64(72);
  body.U32(3).U32(0).U64(4000);                           // cpu, period
  body.U64s({500, 90, 80, 71, 2});                        // read values
  body.U64s({2, uint64_t(PERF_CONTEXT_USER), 0x401000});  // call chain
  body.U32(4).U32(0xdecade);                              // raw
  body.U64s({1, 5}).Entry(0x401010, 0x401020, 0b10);      // branches
  body.U64s({PERF_SAMPLE_REGS_ABI_64, 100, 102});         // user registers
  body.U64(8).U64(0x57acc).U64(5);                        // user stack
  body.U64s({33, 44, 55});                                // weight, data source, txn
  body.U64s({PERF_SAMPLE_REGS_ABI_32, 201, 202, 203});    // interrupt registers
  body.U64s({0xf00, 0xc6, 4096, 2 << 20});                // phys, cgroup, page sizes
  body.U64(3).U8(1).U8(2).U8(3);                          // aux
  const util::Result<Sample> decoded = DecodeSample(format, body);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message;
  const Sample& sample = *decoded;
  EXPECT_EQ(sample.where.id, 71u);
  EXPECT_EQ(sample.ip, 0x401000u);
  EXPECT_EQ(sample.where.pid, 10u);
  EXPECT_EQ(sample.where.tid, 11u);
  EXPECT_EQ(sample.where.time, 1000u);
  EXPECT_EQ(sample.address, 0xadd7e55u);
  EXPECT_EQ(sample.where.stream_id, 72u);
  EXPECT_EQ(sample.where.cpu, 3u);
  EXPECT_EQ(sample.period, 4000u);
  ASSERT_TRUE(sample.read.has_value());
  ASSERT_EQ(sample.read->size(), 1u);
  EXPECT_EQ(sample.read->time_enabled, 90u);
  EXPECT_EQ(sample.read->time_running, 80u);
  EXPECT_EQ(sample.read->ReadCounter(0).value, 500u);
  EXPECT_EQ(sample.read->ReadCounter(0).id, 71u);
  EXPECT_EQ(sample.read->ReadCounter(0).lost, 2u);
  ASSERT_EQ(sample.callchain->size(), 2u);
  EXPECT_EQ((*sample.callchain)[1], 0x401000u);
  EXPECT_EQ(sample.raw->size(), 4u);
  ASSERT_EQ(sample.branches->entries.size(), 1u);
  EXPECT_EQ(sample.branches->hw_idx, 5u);
  EXPECT_EQ(sample.branches->entries[0], (BranchEntry{0x401010, 0x401020, 0b10}));
  ASSERT_EQ(sample.user_registers->values.size(), 2u);
  EXPECT_EQ(sample.user_registers->values[1], 102u);
  EXPECT_EQ(sample.user_stack->size(), 8u);
  EXPECT_EQ(sample.user_stack_used, 5u);
  EXPECT_EQ(sample.weight, 33u);
  EXPECT_EQ(sample.data_source, 44u);
  EXPECT_EQ(sample.transaction, 55u);
  ASSERT_EQ(sample.interrupt_registers->values.size(), 3u);
  EXPECT_EQ(sample.interrupt_registers->values[2], 203u);
  EXPECT_EQ(sample.physical_address, 0xf00u);
  EXPECT_EQ(sample.cgroup, 0xc6u);
  EXPECT_EQ(sample.data_page_size, 4096u);
  EXPECT_EQ(sample.code_page_size, 2u << 20);
  EXPECT_EQ(sample.aux->size(), 3u);
  EXPECT_TRUE(sample.trailing.empty());

  // A record cut at any place is an error.
  for (size_t size = 0; size < body.size(); ++size) {
    EXPECT_FALSE(DecodeSample(format, util::Bytes(body).first(size)).ok()) << size;
  }
}

TEST(SampleDecoderTest, ReadsGroupsOfCounters) {
  SampleFormat format = Format(PERF_SAMPLE_READ);
  format.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING;
  ByteBuilder body;
  body.U64s({2, 77, /*value*/ 10, /*id*/ 1, 20, 2});
  const auto sample = DecodeSample(format, body);
  ASSERT_TRUE(sample.ok());
  ASSERT_EQ(sample->read->size(), 2u);
  EXPECT_EQ(sample->read->time_running, 77u);
  EXPECT_FALSE(sample->read->time_enabled.has_value());
  EXPECT_EQ(sample->read->ReadCounter(1).value, 20u);
  EXPECT_EQ(sample->read->ReadCounter(1).id, 2u);
  EXPECT_FALSE(sample->read->ReadCounter(1).lost.has_value());
}

TEST(SampleDecoderTest, ReadsEveryFlagOfABranch) {
  const BranchFlags flags{.mispredicted = true,
                          .in_transaction = true,
                          .cycles = 0xffff,
                          .type = PERF_BR_EXTEND_ABI,
                          .speculation = PERF_BR_SPEC_CORRECT_PATH,
                          .new_type = PERF_BR_NEW_ARCH_5,
                          .privilege = PERF_BR_PRIV_HV};
  ByteBuilder body;
  body.U64(1).Entry(1, 2, MakeFlags(flags));
  const auto sample = DecodeSample(Format(PERF_SAMPLE_BRANCH_STACK), body);
  ASSERT_TRUE(sample.ok());
  const BranchEntry entry = sample->branches->entries[0];
  EXPECT_TRUE(entry.mispredicted());
  EXPECT_FALSE(entry.predicted());
  EXPECT_TRUE(entry.in_transaction());
  EXPECT_FALSE(entry.aborted());
  EXPECT_EQ(entry.cycles(), 0xffff);
  EXPECT_EQ(entry.type(), PERF_BR_EXTEND_ABI);
  EXPECT_EQ(entry.speculation(), PERF_BR_SPEC_CORRECT_PATH);
  EXPECT_EQ(entry.new_type(), PERF_BR_NEW_ARCH_5);
  EXPECT_EQ(entry.privilege(), PERF_BR_PRIV_HV);
}

TEST(SampleDecoderTest, ReadsAnAmdStackWithSpeculationAndNoPrediction) {
  // LbrExtV2 fills spec. Wrong-path entries are kept for the consumer to decide.
  ByteBuilder body;
  body.U64s({2, ~uint64_t{0}});
  body.Entry(0x10, 0x20, MakeFlags({.speculation = PERF_BR_SPEC_WRONG_PATH}));
  body.Entry(0x30, 0x40, MakeFlags({.speculation = PERF_BR_NON_SPEC_CORRECT_PATH}));
  const auto sample =
      DecodeSample(Format(PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_BRANCH_HW_INDEX), body);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->branches->hw_idx, ~uint64_t{0});
  EXPECT_EQ(sample->branches->entries[0].speculation(), PERF_BR_SPEC_WRONG_PATH);
  EXPECT_EQ(sample->branches->entries[1].speculation(), PERF_BR_NON_SPEC_CORRECT_PATH);
  EXPECT_FALSE(sample->branches->entries[1].predicted());
}

TEST(SampleDecoderTest, ReadsCounterWordsBehindAllEntries) {
  ByteBuilder body;
  body.U64s({2, 7}).Entry(1, 2, 3).Entry(4, 5, 6).U64s({0x0102, 0x0304}).U64(99);
  const auto sample = DecodeSample(Format(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC,
                                          PERF_SAMPLE_BRANCH_HW_INDEX | kBranchSampleCounters),
                                   body);
  ASSERT_TRUE(sample.ok());
  ASSERT_EQ(sample->branches->counters.size(), 2u);
  EXPECT_EQ(sample->branches->counters[1], 0x0304u);
  EXPECT_EQ(sample->data_source, 99u);
}

TEST(SampleDecoderTest, ReadsSamplesWithoutCounterWords) {
  ByteBuilder body;
  body.U64s({1, 7}).Entry(1, 2, 3).U64(99);
  const auto sample = DecodeSample(Format(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC,
                                          PERF_SAMPLE_BRANCH_HW_INDEX | kBranchSampleCounters),
                                   body);
  ASSERT_TRUE(sample.ok());
  EXPECT_TRUE(sample->branches->counters.empty());
  EXPECT_EQ(sample->branches->hw_idx, 7u);
  EXPECT_EQ(sample->data_source, 99u);
}

TEST(SampleDecoderTest, ReadsAnEmptyStackWithAndWithoutItsHwIdx) {
  const SampleFormat format =
      Format(PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_BRANCH_HW_INDEX);
  ByteBuilder with;
  with.U64s({0, 7, 99});
  auto sample = DecodeSample(format, with);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->branches->hw_idx, 7u);
  EXPECT_EQ(sample->data_source, 99u);

  ByteBuilder without;
  without.U64s({0, 99});
  sample = DecodeSample(format, without);
  ASSERT_TRUE(sample.ok());
  EXPECT_FALSE(sample->branches->hw_idx.has_value());
  EXPECT_TRUE(sample->branches->entries.empty());
  EXPECT_EQ(sample->data_source, 99u);
}

TEST(SampleDecoderTest, ChecksCountsAgainstTheSize) {
  for (const uint64_t count : {uint64_t{2}, uint64_t{1} << 32, uint64_t{1} << 61, ~uint64_t{0}}) {
    ByteBuilder stack;
    stack.U64(count).Entry(1, 2, 3);
    EXPECT_FALSE(DecodeSample(Format(PERF_SAMPLE_BRANCH_STACK), stack).ok()) << count;
    ByteBuilder chain;
    chain.U64s({count, 1});
    EXPECT_FALSE(DecodeSample(Format(PERF_SAMPLE_CALLCHAIN), chain).ok()) << count;
    ByteBuilder user_stack;
    user_stack.U64s({count * 16, 1});
    if (count * 16 != 0) {
      EXPECT_FALSE(DecodeSample(Format(PERF_SAMPLE_STACK_USER), user_stack).ok()) << count;
    }
    SampleFormat group = Format(PERF_SAMPLE_READ);
    group.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
    ByteBuilder values;
    values.U64s({count, 1, 2});
    EXPECT_FALSE(DecodeSample(group, values).ok()) << count;
  }
}

TEST(SampleDecoderTest, KeepsFieldsOfNewerKernelsAsTrailingBytes) {
  ByteBuilder body;
  body.U64s({0x401000, 1, 2, 3});
  const auto sample = DecodeSample(Format(PERF_SAMPLE_IP | uint64_t{PERF_SAMPLE_MAX} << 3), body);
  ASSERT_TRUE(sample.ok());
  EXPECT_EQ(sample->ip, 0x401000u);
  EXPECT_EQ(sample->trailing.size(), 24u);
}

TEST(SampleDecoderTest, ReadsTrailersFromTheEnd) {
  SampleFormat format =
      Format(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
             PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
  ByteBuilder body;
  body.U64(0xb0d1).U32(10).U32(11).U64(1000).U64(71).U64(72).U32(3).U32(0).U64(71);
  EXPECT_FALSE(DecodeTrailer(format, body)->time.has_value());  // no sample_id_all
  format.sample_id_all = true;
  EXPECT_EQ(format.trailer_bytes(), 48u);
  const auto where = DecodeTrailer(format, body);
  ASSERT_TRUE(where.ok());
  EXPECT_EQ(where->pid, 10u);
  EXPECT_EQ(where->tid, 11u);
  EXPECT_EQ(where->time, 1000u);
  EXPECT_EQ(where->id, 71u);
  EXPECT_EQ(where->stream_id, 72u);
  EXPECT_EQ(where->cpu, 3u);
  EXPECT_FALSE(DecodeTrailer(format, util::Bytes(body).first(40)).ok());
}

TEST(SampleFormatTest, FindsTheOffsetOfTheId) {
  SampleFormat format = Format(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                               PERF_SAMPLE_ID | PERF_SAMPLE_CPU);
  EXPECT_EQ(format.id_offset(), 24u);
  EXPECT_EQ(format.id_offset_from_end(), std::nullopt);
  format.sample_id_all = true;
  EXPECT_EQ(format.id_offset_from_end(), 16u);
  format.sample_type |= PERF_SAMPLE_IDENTIFIER;
  EXPECT_EQ(format.id_offset(), 0u);
  EXPECT_EQ(format.id_offset_from_end(), 8u);
}

TEST(SampleFormatTest, ReadsAttrsOfAnyAge) {
  perf_event_attr attr = testing::MakeAttr(PERF_SAMPLE_IP, PERF_SAMPLE_BRANCH_ANY);
  ByteBuilder longer;
  longer.Value(attr).U64(1);
  EXPECT_EQ(ReadAttr(longer)->branch_sample_type, uint64_t{PERF_SAMPLE_BRANCH_ANY});
  // 64 bytes: the first published attr, which ends before branch_sample_type.
  EXPECT_EQ(ReadAttr(util::Bytes(longer).first(64))->branch_sample_type, 0u);
  EXPECT_EQ(ReadAttr(util::Bytes(longer).first(64))->sample_type, uint64_t{PERF_SAMPLE_IP});
  EXPECT_FALSE(ReadAttr(util::Bytes(longer).first(63)).has_value());
}

}  // namespace
}  // namespace perf
