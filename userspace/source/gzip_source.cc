// SPDX-License-Identifier: BSD-2-Clause
#include "source/gzip_source.h"

#include <algorithm>
#include <limits>

namespace source {
namespace {

constexpr size_t kPackedBytes = size_t{256} << 10;
// zlib's largest window, and 16 for the gzip wrapper.
constexpr int kGzipWindow = 15 + 16;

}  // namespace

using fxt::ReadResult;

GzipSource::GzipSource(std::unique_ptr<fxt::ByteSource> packed)
    : packed_(std::move(packed)), buffer_(kPackedBytes) {
  ready_ = inflateInit2(&stream_, kGzipWindow) == Z_OK;
}

GzipSource::~GzipSource() {
  if (ready_) inflateEnd(&stream_);
}

ReadResult GzipSource::Fail(std::string why) {
  error_ = std::move(why);
  return ReadResult::Of(ReadResult::Kind::kError);
}

ReadResult::Kind GzipSource::Refill() {
  if (stream_.avail_in != 0) return ReadResult::Kind::kBytes;
  const ReadResult result = packed_->Read(buffer_);
  if (result.kind == ReadResult::Kind::kBytes) {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(result.bytes);
  } else if (result.kind == ReadResult::Kind::kError) {
    error_ = packed_->ErrorText();
  }
  return result.kind;
}

bool GzipSource::NextMember(ReadResult::Kind& kind) {
  for (;;) {
    kind = Refill();
    if (kind != ReadResult::Kind::kBytes) return false;
    // Tapes and some tools fill up with zeros.
    while (stream_.avail_in != 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in != 0) break;
  }
  inflateReset(&stream_);
  between_members_ = false;
  return true;
}

ReadResult GzipSource::Read(std::span<std::byte> into) {
  if (!ready_) return Fail("no memory for unpacking");
  if (!error_.empty()) return ReadResult::Of(ReadResult::Kind::kError);
  if (done_) return ReadResult::Of(ReadResult::Kind::kEnd);
  const size_t room = std::min<size_t>(into.size(), std::numeric_limits<uInt>::max());
  stream_.next_out = reinterpret_cast<Bytef*>(into.data());
  stream_.avail_out = static_cast<uInt>(room);
  while (stream_.avail_out == room) {
    ReadResult::Kind kind = ReadResult::Kind::kBytes;
    if (between_members_) {
      if (!NextMember(kind)) {
        done_ = kind == ReadResult::Kind::kEnd;
        return ReadResult::Of(kind);
      }
    } else {
      kind = Refill();
    }
    if (kind == ReadResult::Kind::kEnd) {
      done_ = true;
      return ReadResult::Of(ReadResult::Kind::kTruncated);
    }
    if (kind != ReadResult::Kind::kBytes) return ReadResult::Of(kind);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      // What came out before the damage is still good.
      Fail(std::string("damaged gzip stream: ") +
           (stream_.msg != nullptr ? stream_.msg : "unpacking failed"));
      if (stream_.avail_out == room) return ReadResult::Of(ReadResult::Kind::kError);
    }
    if (!error_.empty()) break;
  }
  return ReadResult::Bytes(room - stream_.avail_out);
}

}  // namespace source
