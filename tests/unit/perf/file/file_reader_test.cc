// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/file_reader.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>

#include "unit/perf/synthetic.h"

namespace perf {
namespace {

using testing::ByteBuilder;
using testing::FileBuilder;
using testing::MakeAttr;
using testing::MakeRecord;

constexpr uint64_t kIpTidTime = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

ByteBuilder IpTidTime(uint64_t ip, uint64_t time) {
  ByteBuilder body;
  body.U64(ip).U32(10).U32(11).U64(time);
  return body;
}

struct Read {
  std::vector<uint32_t> types;
  std::vector<uint64_t> ips;
  std::vector<std::optional<size_t>> events;
  std::vector<EventDescription> descriptions;
  std::string error;
  bool truncated = false;
  uint64_t compressed_records = 0;
};

Read ReadAll(util::Bytes file, bool seekable) {
  Read result;
  util::Result<FileReader> reader = FileReader::Open(MakeMemorySource(file, seekable));
  if (!reader) {
    result.error = reader.error().message;
    return result;
  }
  for (;;) {
    auto next = reader->Next();
    if (!next) {
      result.error = next.error().message;
      break;
    }
    if (!next->has_value()) break;
    const FileRecord& file_record = **next;
    result.types.push_back(file_record.raw.header.type);
    result.events.push_back(file_record.event);
    auto record =
        DecodeRecord(file_record.raw.header, file_record.raw.body, reader->format(file_record));
    if (!record) {
      result.error = record.error().message;
      continue;
    }
    if (const auto* sample = std::get_if<Sample>(&record->body)) {
      result.ips.push_back(sample->ip.value_or(0));
    }
  }
  result.descriptions = reader->info().events;
  result.truncated = reader->truncated();
  result.compressed_records = reader->compressed_records();
  return result;
}

// Samples with ips 1, 2, ... as one run of records.
std::vector<std::byte> Samples(size_t count) {
  ByteBuilder run;
  for (size_t i = 1; i <= count; ++i) {
    run.Append(MakeRecord(PERF_RECORD_SAMPLE, 0, IpTidTime(i, 1000 + i)));
  }
  return run.bytes();
}

std::vector<uint64_t> Ips(size_t count) {
  std::vector<uint64_t> ips(count);
  for (size_t i = 0; i < count; ++i) ips[i] = i + 1;
  return ips;
}

TEST(FileReaderTest, ReadsBothForms) {
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime)).RawRecord(Samples(3));
  Read read = ReadAll(builder.BuildFile(), true);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.ips, Ips(3));
  EXPECT_FALSE(read.truncated);
  ASSERT_EQ(read.descriptions.size(), 1u);
  EXPECT_EQ(read.descriptions[0].name, "cycles");

  read = ReadAll(builder.BuildPipe(), false);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.ips, Ips(3));
  EXPECT_EQ(read.types.front(), uint32_t{kRecordHeaderAttr});
  EXPECT_FALSE(read.truncated);
}

TEST(FileReaderTest, RefusesTheFileFormFromAPipe) {
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime)).RawRecord(Samples(1));
  EXPECT_NE(ReadAll(builder.BuildFile(), false).error.find("pipe"), std::string::npos);
}

TEST(FileReaderTest, RefusesUnreadableFiles) {
  const auto error = [](std::string_view start) {
    ByteBuilder file;
    file.Text(start).U64(104).U64(0);
    return ReadAll(file, true).error;
  };
  EXPECT_NE(error("2ELIFREP").find("other byte order"), std::string::npos);
  EXPECT_NE(error("PERFFILE").find("before Linux 2.6.36"), std::string::npos);
  EXPECT_NE(error("\x10\x00\x04\x46\x78\x54\x16").find("not a perf.data file"), std::string::npos);
  EXPECT_NE(ReadAll({}, true).error.find("not a perf.data file"), std::string::npos);
}

TEST(FileReaderTest, DistinguishesEventsById) {
  // Layouts differ after the identifier, so that a wrong event would be detected.
  perf_event_attr cycles = MakeAttr(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
  perf_event_attr clock = MakeAttr(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU);
  clock.type = PERF_TYPE_SOFTWARE;
  clock.config = PERF_COUNT_SW_CPU_CLOCK;
  clock.exclude_kernel = 1;
  FileBuilder builder;
  builder.Event(cycles, {101, 102}).Event(clock, {201});
  builder.Record(PERF_RECORD_SAMPLE, 0, ByteBuilder().U64(102).U64(0x1));
  builder.Record(PERF_RECORD_SAMPLE, 0, ByteBuilder().U64(201).U64(5000).U64(3));
  builder.Record(PERF_RECORD_SAMPLE, 0, ByteBuilder().U64(999).U64(0x3));
  // The trailer of the second event: time, cpu, identifier.
  builder.Record(PERF_RECORD_COMM, 0,
                 ByteBuilder().U32(1).U32(1).PaddedText("name").U64(9).U64(4).U64(201));
  for (const bool pipe : {false, true}) {
    const Read read = ReadAll(pipe ? builder.BuildPipe() : builder.BuildFile(), !pipe);
    ASSERT_EQ(read.descriptions.size(), 2u);
    EXPECT_EQ(read.descriptions[1].name, "cpu-clock:u");
    const size_t first = pipe ? 2 : 0;
    ASSERT_EQ(read.events.size(), first + 4);
    EXPECT_EQ(read.events[first], 0u);
    EXPECT_EQ(read.events[first + 1], 1u);
    EXPECT_EQ(read.events[first + 2], std::nullopt);
    EXPECT_EQ(read.events[first + 3], 1u);
  }
}

TEST(FileReaderTest, SkipsUnknownRecordsBySize) {
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime));
  builder.Record(63, 7, ByteBuilder().U64(1).U32(2));
  builder.Record(4711, 0, {});
  builder.RawRecord(Samples(1));
  const Read read = ReadAll(builder.BuildFile(), true);
  EXPECT_EQ(read.types, (std::vector<uint32_t>{63, 4711, PERF_RECORD_SAMPLE}));
  EXPECT_EQ(read.ips, Ips(1));
}

TEST(FileReaderTest, ReadsCutFilesToTheirEnd) {
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime)).RawRecord(Samples(3));
  for (const bool pipe : {false, true}) {
    const std::vector<std::byte> whole = pipe ? builder.BuildPipe() : builder.BuildFile();
    const Read read = ReadAll(util::Bytes(whole).first(whole.size() - 1), !pipe);
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.ips, Ips(2));
    EXPECT_TRUE(read.truncated);
  }
}

TEST(FileReaderTest, ReadsFilesOfAKilledRecorder) {
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime)).RawRecord(Samples(2)).WithoutDataSize();
  const Read read = ReadAll(builder.BuildFile(), true);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.ips, Ips(2));
  EXPECT_TRUE(read.truncated);
}

TEST(FileReaderTest, StopsAtARecordSmallerThanItsHeader) {
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime)).RawRecord(Samples(1));
  builder.RawRecord(ByteBuilder().U32(9).U16(0).U16(7)).RawRecord(Samples(1));
  const Read read = ReadAll(builder.BuildFile(), true);
  EXPECT_NE(read.error.find("less than its header"), std::string::npos);
  EXPECT_EQ(read.ips, Ips(1));
}

// Samples compressed as perf does it: one zstd stream over all records, cut anywhere.
FileBuilder Compressed(size_t samples, size_t piece, uint32_t type) {
  const std::vector<std::byte> run = Samples(samples);
  std::vector<std::byte> packed(ZSTD_compressBound(run.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), run.data(), run.size(), 1));
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime));
  for (size_t begin = 0; begin < packed.size(); begin += piece) {
    const util::Bytes part =
        util::Bytes(packed).subspan(begin, std::min(piece, packed.size() - begin));
    ByteBuilder body;
    if (type == kRecordCompressed2) {
      body.U64(part.size()).Append(part);
      while (body.size() % 8 != 0) body.U8(0xaa);
    } else {
      body.Append(part);
    }
    builder.Record(type, 0, body);
  }
  return builder;
}

TEST(FileReaderTest, ReadsCompressedRecords) {
  for (const uint32_t type : {kRecordCompressed, kRecordCompressed2}) {
    for (const size_t piece : {size_t{7}, size_t{60000}}) {
      const Read read = ReadAll(Compressed(20000, piece, type).BuildPipe(), false);
      EXPECT_EQ(read.error, "");
      EXPECT_EQ(read.ips, Ips(20000));
      EXPECT_GT(read.compressed_records, 0u);
      EXPECT_FALSE(read.truncated);
    }
  }
}

TEST(FileReaderTest, ReportsDamagedCompression) {
  std::vector<std::byte> file = Compressed(100, 60000, kRecordCompressed).BuildFile();
  file[file.size() - 40] ^= std::byte{0xff};
  const Read read = ReadAll(file, true);
  EXPECT_TRUE(read.error.find("zstd") != std::string::npos || read.ips != Ips(100));
  std::vector<std::byte> short_size = Compressed(100, 60000, kRecordCompressed2).BuildPipe();
  // The word with the size of the data in a COMPRESSED2 record.
  short_size[16 + sizeof(perf_event_header) * 2 + sizeof(perf_event_attr) + 5] = std::byte{1};
  EXPECT_NE(ReadAll(short_size, false).error.find("shorter than its data"), std::string::npos);
}

TEST(FileReaderTest, SkipsDataAfterRecords) {
  // The data of these two is not part of their size.
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime));
  builder.Record(kRecordHeaderTracingData, 0, ByteBuilder().U32(13).U32(0));
  builder.RawRecord(ByteBuilder().U64s({1, 2}));
  ByteBuilder auxtrace;
  auxtrace.U64s({300000, 0, 0, 0, 0});
  builder.Record(kRecordAuxtrace, 0, auxtrace);
  builder.RawRecord(std::vector<std::byte>(300000));
  builder.RawRecord(Samples(1));
  const Read read = ReadAll(builder.BuildPipe(), false);
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.ips, Ips(1));
}

TEST(FileReaderTest, ReadsTheHeaderOfTheFile) {
  const auto string = [](std::string_view text) {
    ByteBuilder padded;
    padded.PaddedText(text);
    ByteBuilder section;
    return section.U32(static_cast<uint32_t>(padded.size())).Append(padded).bytes();
  };
  ByteBuilder build_id_body;
  build_id_body.U32(10).U64s({0x0123456789abcdef, 0, 0x00000000'00000008}).PaddedText("/bin/true");
  ByteBuilder build_ids;
  build_ids.Append(MakeRecord(0, PERF_RECORD_MISC_USER, build_id_body));
  ByteBuilder command_line;
  command_line.U32(2).Append(string("perf")).Append(string("record"));
  ByteBuilder event_description;
  event_description.U32(1).U32(8).U64(0).U32(1).Append(string("cycles:ppp")).U64(55);
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime), {55}).RawRecord(Samples(1));
  builder.Feature(2, build_ids).Feature(3, string("hesiod")).Feature(4, string("6.1.0"));
  builder.Feature(8, string("A CPU")).Feature(11, command_line).Feature(12, event_description);
  const std::vector<std::byte> file = builder.BuildFile();
  auto reader = FileReader::Open(MakeMemorySource(file));
  ASSERT_TRUE(reader.ok());
  const FileInfo& info = reader->info();
  EXPECT_EQ(info.host_name, "hesiod");
  EXPECT_EQ(info.os_release, "6.1.0");
  EXPECT_EQ(info.cpu_description, "A CPU");
  EXPECT_EQ(info.command_line, (std::vector<std::string>{"perf", "record"}));
  ASSERT_EQ(info.build_ids.size(), 1u);
  EXPECT_EQ(info.build_ids[0].file, "/bin/true");
  EXPECT_EQ(info.build_ids[0].build_id.size, util::BuildId::kMaxBytes);
  EXPECT_EQ(info.build_ids[0].build_id.ToHex().substr(0, 16), "efcdab8967452301");
  EXPECT_EQ(info.events[0].name, "cycles:ppp");
  EXPECT_EQ(info.FindEvent(55), &info.events[0]);
}

TEST(FileReaderTest, RefusesInconsistentHeaders) {
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime)).RawRecord(Samples(1));
  const std::vector<std::byte> whole = builder.BuildFile();
  const auto with = [&whole](size_t offset, uint64_t value) {
    std::vector<std::byte> file = whole;
    std::memcpy(file.data() + offset, &value, sizeof(value));
    return ReadAll(file, true);
  };
  const uint64_t huge = uint64_t{1} << 62;
  EXPECT_NE(with(8, 40).error.find("damaged"), std::string::npos);  // size of the head
  EXPECT_NE(with(16, 8).error.find("damaged"), std::string::npos);  // size of an attr
  EXPECT_NE(with(16, huge).error.find("damaged"), std::string::npos);
  EXPECT_NE(with(24, huge).error.find("damaged"), std::string::npos);  // place of the attrs
  EXPECT_NE(with(32, huge).error.find("damaged"), std::string::npos);  // size of the attrs
  EXPECT_NE(with(32, 0).error.find("no event"), std::string::npos);
  EXPECT_NE(with(40, huge).error.find("damaged"), std::string::npos);  // place of the records
  EXPECT_TRUE(with(48, huge).truncated);                               // size of the records
  EXPECT_EQ(with(48, huge).ips, Ips(1));
}

TEST(FileReaderTest, AllocatesNothingForAnnouncedSizes) {
  // A table of ids larger than the file.
  FileBuilder builder;
  builder.Event(MakeAttr(kIpTidTime), {1, 2, 3});
  std::vector<std::byte> file = builder.BuildFile();
  const uint64_t size = uint64_t{1} << 40;
  std::memcpy(file.data() + 104 + 24 + sizeof(perf_event_attr) + 8, &size, sizeof(size));
  EXPECT_NE(ReadAll(file, true).error.find("ids"), std::string::npos);
}

}  // namespace
}  // namespace perf
