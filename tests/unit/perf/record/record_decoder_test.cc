// SPDX-License-Identifier: BSD-2-Clause
#include "perf/record/record_decoder.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "unit/perf/synthetic.h"

namespace perf {
namespace {

using testing::ByteBuilder;

// The records here have a trailer of one word, the time.
Record Decode(uint32_t type, uint16_t misc, const ByteBuilder& body) {
  const SampleFormat format = SampleFormat::FromAttr(testing::MakeAttr(PERF_SAMPLE_TIME));
  const perf_event_header header{type, misc, static_cast<uint16_t>(8 + body.size())};
  const util::Result<Record> record = DecodeRecord(header, body, format);
  EXPECT_TRUE(record.ok());
  return record.ok() ? *record : Record{};
}

TEST(RecordDecoderTest, ReadsNames) {
  ByteBuilder body;
  body.U32(10).U32(11).PaddedText("worker").U64(1000);
  const Record record = Decode(PERF_RECORD_COMM, kMiscCommExec, body);
  const auto& comm = std::get<CommRecord>(record.body);
  EXPECT_EQ(comm.pid, 10u);
  EXPECT_EQ(comm.tid, 11u);
  EXPECT_EQ(comm.name, "worker");
  EXPECT_TRUE(comm.exec);
  EXPECT_EQ(record.where.time, 1000u);
}

TEST(RecordDecoderTest, ReadsForksAndExits) {
  ByteBuilder body;
  body.U32(20).U32(10).U32(21).U32(11).U64(900).U64(1000);
  const Record fork = Decode(PERF_RECORD_FORK, 0, body);
  EXPECT_EQ(std::get<ForkRecord>(fork.body).pid, 20u);
  EXPECT_EQ(std::get<ForkRecord>(fork.body).parent_pid, 10u);
  EXPECT_EQ(std::get<ForkRecord>(fork.body).tid, 21u);
  EXPECT_EQ(std::get<ForkRecord>(fork.body).parent_tid, 11u);
  EXPECT_EQ(std::get<ForkRecord>(fork.body).time, 900u);
  const Record exit = Decode(PERF_RECORD_EXIT, 0, body);
  EXPECT_EQ(std::get<ExitRecord>(exit.body).pid, 20u);
  EXPECT_EQ(std::get<ExitRecord>(exit.body).tid, 21u);
}

TEST(RecordDecoderTest, ReadsMappings) {
  ByteBuilder mmap;
  mmap.U32(10).U32(11).U64s({0x400000, 0x2000, 0x1000}).PaddedText("/bin/true").U64(1);
  Record record = Decode(PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, mmap);
  EXPECT_EQ(std::get<MmapRecord>(record.body).address, 0x400000u);
  EXPECT_EQ(std::get<MmapRecord>(record.body).size, 0x2000u);
  EXPECT_EQ(std::get<MmapRecord>(record.body).file_offset, 0x1000u);
  EXPECT_EQ(std::get<MmapRecord>(record.body).protection, uint32_t{PROT_READ | PROT_EXEC});
  EXPECT_EQ(std::get<MmapRecord>(record.body).file, "/bin/true");
  EXPECT_FALSE(std::get<MmapRecord>(record.body).kernel);
  record = Decode(PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL | kMiscMmapData, mmap);
  EXPECT_EQ(std::get<MmapRecord>(record.body).protection, uint32_t{PROT_READ});
  EXPECT_TRUE(std::get<MmapRecord>(record.body).kernel);

  const auto mmap2 = [](uint64_t identity) {
    ByteBuilder body;
    body.U32(10).U32(11).U64s({0x400000, 0x2000, 0x1000});
    body.U64s({identity, 0x1111111111111111, 0x2222222222222222});
    body.U32(PROT_EXEC).U32(MAP_PRIVATE).PaddedText("/bin/true").U64(1);
    return body;
  };
  record = Decode(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, mmap2(20));
  EXPECT_EQ(std::get<MmapRecord>(record.body).protection, uint32_t{PROT_EXEC});
  EXPECT_TRUE(std::get<MmapRecord>(record.body).build_id.empty());
  record = Decode(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, mmap2(0xddccbbaa00000014));
  EXPECT_EQ(std::get<MmapRecord>(record.body).build_id.ToHex(),
            "aabbccdd11111111111111112222222222222222");
  // A length that no build id has: it is the major number of the file's device.
  record = Decode(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, mmap2(0x01'000000fe));
  EXPECT_TRUE(std::get<MmapRecord>(record.body).build_id.empty());
  EXPECT_EQ(std::get<MmapRecord>(record.body).device_major, 0xfeu);
  EXPECT_EQ(std::get<MmapRecord>(record.body).device_minor, 1u);
  EXPECT_EQ(std::get<MmapRecord>(record.body).inode, 0x1111111111111111u);
  EXPECT_EQ(std::get<MmapRecord>(record.body).inode_generation, 0x2222222222222222u);
}

TEST(RecordDecoderTest, ReadsLosses) {
  Record record = Decode(PERF_RECORD_LOST, 0, ByteBuilder().U64s({7, 12, 1000}));
  EXPECT_EQ(std::get<LostRecord>(record.body).id, 7u);
  EXPECT_EQ(std::get<LostRecord>(record.body).count, 12u);
  record = Decode(PERF_RECORD_LOST_SAMPLES, 0, ByteBuilder().U64s({5, 1000}));
  EXPECT_EQ(std::get<LostSamplesRecord>(record.body).count, 5u);
  EXPECT_EQ(record.where.time, 1000u);
  record = Decode(PERF_RECORD_THROTTLE, 0, ByteBuilder().U64s({900, 1, 2, 1000}));
  EXPECT_TRUE(std::get<ThrottleRecord>(record.body).throttled);
}

TEST(RecordDecoderTest, RefusesRecordsThatAreTooShort) {
  const SampleFormat format;
  for (const uint32_t type :
       {PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_LOST, PERF_RECORD_COMM, PERF_RECORD_EXIT,
        PERF_RECORD_FORK, PERF_RECORD_LOST_SAMPLES, PERF_RECORD_THROTTLE}) {
    const std::byte bytes[7] = {};
    const util::Result<Record> record = DecodeRecord({type, 0, 15}, bytes, format);
    ASSERT_FALSE(record.ok()) << type;
    EXPECT_NE(record.error().message.find(RecordTypeName(type)), std::string::npos);
  }
}

TEST(RecordDecoderTest, AcceptsUnknownRecordTypes) {
  const Record record = Decode(4711, 3, ByteBuilder());
  EXPECT_TRUE(std::holds_alternative<OtherRecord>(record.body));
  EXPECT_EQ(record.type, 4711u);
  EXPECT_EQ(RecordTypeName(4711), "type 4711");
  EXPECT_EQ(RecordTypeName(PERF_RECORD_SAMPLE), "SAMPLE");
  EXPECT_EQ(RecordTypeName(kRecordTimeConv), "TIME_CONV");
  EXPECT_EQ(RecordTypeName(kRecordCompressed2), "COMPRESSED2");
}

}  // namespace
}  // namespace perf
