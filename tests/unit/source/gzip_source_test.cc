// SPDX-License-Identifier: BSD-2-Clause
#include "source/gzip_source.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "sink/block_compressor.h"
#include "unit/fxt/support/chunk_source.h"

namespace source {
namespace {

using fxt::ReadResult;
using Bytes = std::vector<std::byte>;

Bytes Pack(const Bytes& plain) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  Bytes packed(deflateBound(&stream, plain.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  return packed;
}

Bytes Sample(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() % 20);
  return bytes;
}

struct Unpacked {
  Bytes bytes;
  ReadResult::Kind end = ReadResult::Kind::kEnd;
  std::string error;
};

Unpacked Unpack(const Bytes& packed, size_t chunk, bool again = false) {
  auto inner = std::make_unique<fxt::testing::ChunkSource>(packed, chunk);
  inner->again_between = again;
  source::GzipSource source(std::move(inner));
  Unpacked result;
  Bytes part(1000);
  for (;;) {
    const ReadResult read = source.Read(part);
    if (read.kind == ReadResult::Kind::kAgain) continue;
    if (read.kind != ReadResult::Kind::kBytes) {
      result.end = read.kind;
      result.error = source.ErrorText();
      return result;
    }
    EXPECT_GT(read.bytes, 0u);
    result.bytes.insert(result.bytes.end(), part.begin(),
                        part.begin() + static_cast<long>(read.bytes));
  }
}

TEST(GzipSourceTest, ReadsInPiecesOfAnySize) {
  const Bytes plain = Sample(100'000, 1);
  const Bytes packed = Pack(plain);
  ASSERT_TRUE(source::GzipSource::Matches(packed));
  for (const size_t chunk : {size_t{1}, size_t{100}, size_t{1} << 20}) {
    const Unpacked result = Unpack(packed, chunk, chunk == 100);
    EXPECT_EQ(result.end, ReadResult::Kind::kEnd);
    EXPECT_TRUE(result.bytes == plain);
  }
}

TEST(GzipSourceTest, ReadsConsecutiveMembers) {
  Bytes plain = Sample(5000, 1);
  Bytes packed = Pack(plain);
  const Bytes second = Sample(7000, 2);
  const Bytes second_packed = Pack(second);
  packed.insert(packed.end(), second_packed.begin(), second_packed.end());
  plain.insert(plain.end(), second.begin(), second.end());
  packed.resize(packed.size() + 100);  // padding
  for (const size_t chunk : {size_t{1}, size_t{1} << 20}) {
    const Unpacked result = Unpack(packed, chunk);
    EXPECT_EQ(result.end, ReadResult::Kind::kEnd) << result.error;
    EXPECT_TRUE(result.bytes == plain);
  }
}

TEST(GzipSourceTest, ReadsACutStreamToItsEnd) {
  const Bytes plain = Sample(100'000, 3);
  Bytes packed = Pack(plain);
  packed.resize(packed.size() / 2);
  const Unpacked result = Unpack(packed, 1000);
  EXPECT_EQ(result.end, ReadResult::Kind::kTruncated);
  EXPECT_GT(result.bytes.size(), plain.size() / 4);
  EXPECT_TRUE(std::equal(result.bytes.begin(), result.bytes.end(), plain.begin()));
}

TEST(GzipSourceTest, ReportsDamageBehindValidBytes) {
  const Bytes plain = Sample(100'000, 4);
  Bytes packed = Pack(plain);
  packed.back() ^= std::byte{0xff};  // the length
  const Unpacked result = Unpack(packed, 1000);
  EXPECT_EQ(result.end, ReadResult::Kind::kError);
  EXPECT_FALSE(result.error.empty());
  EXPECT_TRUE(result.bytes == plain);

  Bytes trailing = Pack(plain);
  trailing.push_back(std::byte{'x'});
  EXPECT_NE(Unpack(trailing, 1000).end, ReadResult::Kind::kEnd);
}

// As fxt-record writes them: each states its size.
Bytes Blocks(const Bytes& plain, size_t each, int level = 1) {
  sink::BlockCompressor compressor;
  Bytes packed;
  const auto add = [&](std::span<const std::byte> block) {
    packed.insert(packed.end(), block.begin(), block.end());
  };
  for (size_t at = 0; at < plain.size(); at += each) {
    add(compressor.Compress(std::span(plain).subspan(at, std::min(each, plain.size() - at)),
                            level));
  }
  add(sink::BlockCompressor::End());
  return packed;
}

TEST(GzipSourceTest, ReadsBlocksInPiecesOfAnySize) {
  const Bytes plain = Sample(300'000, 5);
  for (const int level : {0, 1, 9}) {
    for (const size_t each : {size_t{700}, size_t{0xff00}}) {
      const Bytes packed = Blocks(plain, each, level);
      for (const size_t chunk : {size_t{1}, size_t{100}, size_t{1} << 20}) {
        const Unpacked result = Unpack(packed, chunk, chunk == 100);
        EXPECT_EQ(result.end, ReadResult::Kind::kEnd) << result.error;
        EXPECT_TRUE(result.bytes == plain);
      }
    }
  }
}

TEST(GzipSourceTest, ReadsBlocksAndOtherMembersInOneFile) {
  const Bytes plain = Sample(100'000, 6);
  Bytes packed = Pack(plain);
  for (const Bytes& more : {Blocks(plain, 10'000), Pack(plain)}) {
    packed.insert(packed.end(), more.begin(), more.end());
  }
  const Unpacked result = Unpack(packed, 1000);
  EXPECT_EQ(result.end, ReadResult::Kind::kEnd) << result.error;
  EXPECT_EQ(result.bytes.size(), 3 * plain.size());
}

// Cut anywhere: everything before the cut is read, except for the last bytes of a block.
TEST(GzipSourceTest, ReadsACutBlockToItsEnd) {
  const Bytes plain = Sample(20'000, 7);
  const Bytes packed = Blocks(plain, 5000);
  const size_t each = packed.size() / 4;
  for (size_t size = 1; size < packed.size() - 28; size += 61) {
    const Unpacked result =
        Unpack(Bytes(packed.begin(), packed.begin() + static_cast<long>(size)), 1000);
    EXPECT_NE(result.end, ReadResult::Kind::kError) << result.error;
    EXPECT_TRUE(std::equal(result.bytes.begin(), result.bytes.end(), plain.begin()));
    EXPECT_GE(result.bytes.size() + 5000, size / each * 5000) << size;
  }
}

TEST(GzipSourceTest, ReportsADamagedBlock) {
  const Bytes plain = Sample(20'000, 8);
  for (const size_t at : {size_t{6000}, size_t{2}}) {
    Bytes packed = Blocks(plain, 0xff00);
    packed[at] ^= std::byte{0x55};
    const Unpacked result = Unpack(packed, 1000);
    EXPECT_NE(result.end, ReadResult::Kind::kEnd) << at;
  }
}

}  // namespace
}  // namespace source
