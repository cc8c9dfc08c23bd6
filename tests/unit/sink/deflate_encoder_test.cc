// SPDX-License-Identifier: BSD-2-Clause
// zlib and libdeflate decompress the streams.
#include "sink/deflate_encoder.h"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace sink {
namespace {

using Bytes = std::vector<std::byte>;
constexpr size_t kMost = DeflateEncoder::kMaxInputBytes;

// Empty if the stream is damaged or has no end.
std::unique_ptr<Bytes> Inflate(std::span<const std::byte> packed, size_t room) {
  auto bytes = std::make_unique<Bytes>(room);
  z_stream stream = {};
  if (inflateInit2(&stream, -15) != Z_OK) return nullptr;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes->data());
  stream.avail_out = static_cast<uInt>(room);
  const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  bytes->resize(stream.total_out);
  inflateEnd(&stream);
  return whole ? std::move(bytes) : nullptr;
}

std::unique_ptr<Bytes> Decompress(std::span<const std::byte> packed, size_t room) {
  auto bytes = std::make_unique<Bytes>(room);
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  size_t taken = 0;
  size_t made = 0;
  const auto result = libdeflate_deflate_decompress_ex(
      decompressor.get(), packed.data(), packed.size(), bytes->data(), room, &taken, &made);
  bytes->resize(made);
  return result == LIBDEFLATE_SUCCESS && taken == packed.size() ? std::move(bytes) : nullptr;
}

size_t ZlibLevel1(const Bytes& bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  Bytes packed(deflateBound(&stream, bytes.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  const size_t size = stream.total_out;
  deflateEnd(&stream);
  return size;
}

class DeflateEncoderTest : public ::testing::Test {
 protected:
  // Checks that the stream decompresses to `bytes`, and returns its size.
  size_t Pack(const Bytes& bytes) {
    // Exactly as large as necessary: sanitizers and the last byte detect a write behind it.
    Bytes out(bytes.size() + DeflateEncoder::kSpareBytes + 1, std::byte{0x5a});
    const size_t size = encoder_->Encode(bytes, std::span(out).first(out.size() - 1));
    EXPECT_EQ(out.back(), std::byte{0x5a});
    EXPECT_LE(size, bytes.size() + 5);
    const auto packed = std::span(out).first(std::min(size, out.size()));
    // One byte more, to detect too long an output.
    const auto one = Inflate(packed, bytes.size() + 1);
    const auto other = Decompress(packed, bytes.size() + 1);
    EXPECT_TRUE(one && *one == bytes);
    EXPECT_TRUE(other && *other == bytes);
    return size;
  }

  // One encoder for all inputs, as in the recorder: no state passes from one input to the next.
  const std::unique_ptr<DeflateEncoder> encoder_ = std::make_unique<DeflateEncoder>();
  std::mt19937_64 random_{1};
};

Bytes FromWords(const std::vector<uint64_t>& words) {
  Bytes bytes(words.size() * sizeof(uint64_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

// Returns switches and wakeups of `threads` threads that fill a member.
Bytes Records(uint64_t threads, std::mt19937_64& random) {
  std::vector<uint64_t> words;
  uint64_t time = 0x4c3de256384;
  while (words.size() + 7 <= kMost / sizeof(uint64_t)) {
    const uint64_t from = random() % threads;
    const uint64_t to = random() % threads;
    words.insert(words.end(), {0x2000000000110058, time += 600 + random() % 400, 5000 + to,
                               0x140028, 5000 + from});
    words.insert(words.end(),
                 {0x0787800000000028 | from << 36 | to << 20, time += 1500 + random() % 1000});
  }
  return FromWords(words);
}

Bytes RandomBytes(size_t size, unsigned values, std::mt19937_64& random) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random() % values);
  return bytes;
}

TEST_F(DeflateEncoderTest, CompressesRecordsAboutAsWellAsZlib) {
  for (const uint64_t threads : {1, 2, 4, 30}) {
    size_t ours = 0;
    size_t zlibs = 0;
    for (int round = 0; round < 5; ++round) {
      const Bytes bytes = Records(threads, random_);
      ours += Pack(bytes);
      zlibs += ZlibLevel1(bytes);
    }
    EXPECT_LT(static_cast<double>(ours), 1.15 * static_cast<double>(zlibs)) << threads;
  }
}

TEST_F(DeflateEncoderTest, EncodesEverySmallSize) {
  for (size_t size = 0; size <= 200; ++size) {
    for (const unsigned values : {1, 2, 5, 256}) {
      SCOPED_TRACE(testing::Message() << size << " bytes of " << values << " values");
      Pack(RandomBytes(size, values, random_));
    }
  }
  EXPECT_EQ(Pack({}), 2u) << "a block of fixed codes with its end alone";
  EXPECT_EQ(Pack({std::byte{7}}), 3u);
}

TEST_F(DeflateEncoderTest, StoresRandomBytes) {
  for (const size_t size : {1000ul, kMost - 9, kMost - 1, kMost}) {
    EXPECT_EQ(Pack(RandomBytes(size, 256, random_)), size + 5);
  }
}

TEST_F(DeflateEncoderTest, EncodesRunsOfOneByte) {
  // Runs whose last part would be shorter than the shortest match.
  for (size_t size = 240; size < 1100; ++size) Pack(Bytes(size, std::byte{'x'}));
  EXPECT_LT(Pack(Bytes(kMost, std::byte{})), 200u);
}

// RFC 1951, 3.2.5: distances are at most 32768 bytes.
TEST_F(DeflateEncoderTest, FindsMatchesAtTheEndsOfTheWindow) {
  for (const size_t distance : {8, 16, 24, 32752, 32760, 32768, 32776, 32784, 40000}) {
    for (const size_t differing : {0, 1, 3, 4, 5, 8}) {
      SCOPED_TRACE(testing::Message() << distance << ", " << differing);
      Bytes bytes = RandomBytes(kMost, 256, random_);
      for (size_t at = distance; at < bytes.size(); ++at) {
        if (at % 24 >= differing) bytes[at] = bytes[at - distance];
      }
      const size_t size = Pack(bytes);
      if (distance <= 32768 && differing < 4) {
        EXPECT_LT(size, kMost);
      }
    }
  }
}

// Fibonacci numbers as counts of literals make the longest codes.
TEST_F(DeflateEncoderTest, EncodesTheLongestCodes) {
  Bytes bytes;
  size_t last = 1;
  for (size_t count = 1, value = 0; bytes.size() + count <= kMost; ++value) {
    bytes.insert(bytes.end(), count, static_cast<std::byte>(value));
    count += std::exchange(last, count);
  }
  for (int round = 0; round < 20; ++round) {
    std::ranges::shuffle(bytes, random_);
    EXPECT_LT(Pack(bytes), bytes.size() / 2);
  }
}

// Mixes parts that are random, repeated, like records, misaligned or damaged.
TEST_F(DeflateEncoderTest, EncodesMixedInput) {
  const Bytes records = Records(5, random_);
  for (int round = 0; round < 3000 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const size_t size = round % 30 == 0 ? kMost - random_() % 20 : random_() % 3000;
    Bytes bytes;
    while (bytes.size() < size) {
      const size_t part = 1 + random_() % std::min<size_t>(size - bytes.size(), 700);
      const size_t at = bytes.size();
      switch (random_() % 4) {
        case 0:
          bytes.insert(bytes.end(), part, static_cast<std::byte>(random_()));
          break;
        case 1:
          for (size_t i = 0; i < part; ++i) bytes.push_back(static_cast<std::byte>(random_()));
          break;
        case 2: {
          const auto from =
              records.begin() + static_cast<long>(random_() % (records.size() - part));
          bytes.insert(bytes.end(), from, from + static_cast<long>(part));
          break;
        }
        default:
          for (size_t i = 0, distance = 1 + random_() % (at + 1); i < part; ++i) {
            bytes.push_back(at + i < distance ? std::byte{} : bytes[at + i - distance]);
          }
      }
    }
    for (uint64_t i = random_() % 20; i > 0 && !bytes.empty(); --i) {
      bytes[random_() % bytes.size()] = static_cast<std::byte>(random_());
    }
    Pack(bytes);
  }
}

}  // namespace
}  // namespace sink
