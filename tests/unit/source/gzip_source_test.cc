// SPDX-License-Identifier: BSD-2-Clause
#include "source/gzip_source.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "unit/fxt/chunk_source.h"

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

TEST(GzipSourceTest, UnpacksInAnyPieces) {
  const Bytes plain = Sample(100'000, 1);
  const Bytes packed = Pack(plain);
  ASSERT_TRUE(source::GzipSource::Matches(packed));
  for (const size_t chunk : {size_t{1}, size_t{100}, size_t{1} << 20}) {
    const Unpacked result = Unpack(packed, chunk, chunk == 100);
    EXPECT_EQ(result.end, ReadResult::Kind::kEnd);
    EXPECT_TRUE(result.bytes == plain);
  }
}

TEST(GzipSourceTest, MembersFollowOneAnother) {
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

TEST(GzipSourceTest, ACutStreamGivesWhatIsThere) {
  const Bytes plain = Sample(100'000, 3);
  Bytes packed = Pack(plain);
  packed.resize(packed.size() / 2);
  const Unpacked result = Unpack(packed, 1000);
  EXPECT_EQ(result.end, ReadResult::Kind::kTruncated);
  EXPECT_GT(result.bytes.size(), plain.size() / 4);
  EXPECT_TRUE(std::equal(result.bytes.begin(), result.bytes.end(), plain.begin()));
}

TEST(GzipSourceTest, DamageIsAnErrorBehindWhatIsGood) {
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

}  // namespace
}  // namespace source
