// SPDX-License-Identifier: BSD-2-Clause
#include "source/gzip_source.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace source {
namespace {

constexpr size_t kPackedBytes = size_t{256} << 10;
// zlib's largest window, and 16 for the gzip wrapper.
constexpr int kGzipWindow = 15 + 16;

constexpr size_t kBlockHeaderBytes = 18;
constexpr size_t kMaxBlockBytes = 0x10000;  // compressed and uncompressed

template <size_t kBytes>
size_t Number(const Bytef* at) {
  size_t number = 0;
  for (size_t i = 0; i < kBytes; ++i) number |= size_t{at[i]} << 8 * i;
  return number;
}

// The size of the block (see sink::BlockCompressor) with this header; 0 for other members.
size_t BlockBytes(const Bytef* header) {
  const bool block = Number<4>(header) == 0x04088b1f && Number<2>(header + 10) == 6 &&
                     header[12] == 'B' && header[13] == 'C' && Number<2>(header + 14) == 2;
  const size_t bytes = Number<2>(header + 16) + 1;
  return block && bytes > kBlockHeaderBytes + 8 ? bytes : 0;
}

}  // namespace

using fxt::ReadResult;

GzipSource::GzipSource(std::unique_ptr<fxt::ByteSource> packed)
    : packed_(std::move(packed)),
      buffer_(kPackedBytes),
      block_unpacker_(libdeflate_alloc_decompressor()),
      block_(kMaxBlockBytes) {
  ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
}

GzipSource::~GzipSource() {
  if (ready_) inflateEnd(&stream_);
}

ReadResult GzipSource::Fail(std::string why) {
  error_ = std::move(why);
  return ReadResult::Of(ReadResult::Kind::kError);
}

GzipSource::Kind GzipSource::Need(size_t bytes) {
  if (stream_.avail_in >= bytes) return Kind::kBytes;
  auto* const start = reinterpret_cast<Bytef*>(buffer_.data());
  if (stream_.avail_in != 0) std::memmove(start, stream_.next_in, stream_.avail_in);
  stream_.next_in = start;
  while (stream_.avail_in < bytes) {
    const ReadResult result = packed_->Read(std::span(buffer_).subspan(stream_.avail_in));
    if (result.kind == Kind::kError) error_ = packed_->ErrorText();
    if (result.kind != Kind::kBytes) return result.kind;
    stream_.avail_in += static_cast<uInt>(result.bytes);
  }
  return Kind::kBytes;
}

GzipSource::Kind GzipSource::NextMember() {
  for (;;) {
    const Kind kind = Need(1);
    if (kind != Kind::kBytes) return kind;
    // Tapes and some tools pad with zeros.
    while (stream_.avail_in != 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in != 0) break;
  }
  inflateReset(&stream_);
  place_ = Place::kMemberStart;
  return Kind::kBytes;
}

GzipSource::Kind GzipSource::TakeMember(std::span<std::byte>& into) {
  Kind kind = Need(kBlockHeaderBytes);
  if (kind == Kind::kAgain || kind == Kind::kError) return kind;
  place_ = Place::kInMember;
  if (kind != Kind::kBytes || !block_unpacker_) return Kind::kBytes;
  const size_t packed = BlockBytes(stream_.next_in);
  if (packed == 0) return Kind::kBytes;
  kind = Need(packed);
  if (kind == Kind::kAgain) place_ = Place::kMemberStart;
  if (kind == Kind::kAgain || kind == Kind::kError) return kind;
  if (kind != Kind::kBytes) return Kind::kBytes;
  const size_t unpacked = Number<4>(stream_.next_in + packed - 4);
  if (unpacked > kMaxBlockBytes) return Kind::kBytes;
  const bool fits = unpacked <= into.size();
  void* const out = fits ? into.data() : block_.data();
  if (libdeflate_gzip_decompress(block_unpacker_.get(), stream_.next_in, packed, out, unpacked,
                                 nullptr) != LIBDEFLATE_SUCCESS) {
    return Kind::kBytes;
  }
  stream_.next_in += packed;
  stream_.avail_in -= static_cast<uInt>(packed);
  place_ = Place::kBetweenMembers;
  if (fits) {
    into = into.subspan(unpacked);
  } else {
    unread_ = std::span(block_).first(unpacked);
  }
  return Kind::kBytes;
}

GzipSource::Kind GzipSource::TakePiece(std::span<std::byte>& into) {
  const Kind kind = Need(1);
  if (kind == Kind::kEnd) return Kind::kTruncated;
  if (kind != Kind::kBytes) return kind;
  const size_t room = std::min<size_t>(into.size(), std::numeric_limits<uInt>::max());
  stream_.next_out = reinterpret_cast<Bytef*>(into.data());
  stream_.avail_out = static_cast<uInt>(room);
  const int status = inflate(&stream_, Z_NO_FLUSH);
  into = into.subspan(room - stream_.avail_out);
  if (status == Z_STREAM_END) {
    place_ = Place::kBetweenMembers;
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    Fail(std::string("damaged gzip stream: ") +
         (stream_.msg != nullptr ? stream_.msg : "unpacking failed"));
    return Kind::kError;
  }
  return Kind::kBytes;
}

ReadResult GzipSource::Read(std::span<std::byte> into) {
  if (!ready_) return Fail("no memory for unpacking");
  std::span<std::byte> rest = into;
  while (rest.size() == into.size()) {
    if (!unread_.empty()) {
      const size_t n = std::min(unread_.size(), rest.size());
      std::memcpy(rest.data(), unread_.data(), n);
      unread_ = unread_.subspan(n);
      return ReadResult::Bytes(n);
    }
    if (!error_.empty()) return ReadResult::Of(Kind::kError);
    if (done_) return ReadResult::Of(Kind::kEnd);
    Kind kind = Kind::kBytes;
    switch (place_) {
      case Place::kBetweenMembers:
        kind = NextMember();
        break;
      case Place::kMemberStart:
        kind = TakeMember(rest);
        break;
      case Place::kInMember:
        kind = TakePiece(rest);
        break;
    }
    // Output before the damage is valid.
    if (kind == Kind::kBytes || rest.size() != into.size()) continue;
    done_ = kind == Kind::kEnd || kind == Kind::kTruncated;
    return ReadResult::Of(kind);
  }
  return ReadResult::Bytes(into.size() - rest.size());
}

}  // namespace source
