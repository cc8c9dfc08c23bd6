// SPDX-License-Identifier: BSD-2-Clause
#include "sink/gzip_sink.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sink {
namespace {

constexpr size_t kCompressedBytes = 256 * 1024;

// RFC 1952, 2.3: magic, deflate, no flags, no time, no extra flags, Unix.
constexpr std::array<uint8_t, 10> kHeader = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
// RFC 1951, 3.2: a last block with nothing in it (final, fixed codes, end of block).
constexpr std::array<uint8_t, 2> kLastBlock = {0x03, 0x00};

}  // namespace

GzipSink::GzipSink(Output output, int level)
    : output_(std::move(output)), compressed_(kCompressedBytes) {
  // Raw deflate: header and trailer are written here, so that the file can be ended at an earlier
  // point than zlib's own.
  constexpr int kRawWindowBits = -15;
  constexpr int kDefaultMemory = 8;
  stream_ready_ = deflateInit2(&stream_, level, Z_DEFLATED, kRawWindowBits, kDefaultMemory,
                               Z_DEFAULT_STRATEGY) == Z_OK;
  now_.crc = crc32(0, nullptr, 0);
  failed_ = !stream_ready_ || !output_.Write(std::as_bytes(std::span(kHeader)));
  now_.bytes_out = output_.size();
  flushed_ = now_;
}

GzipSink::~GzipSink() {
  static_cast<void>(Close());
  if (stream_ready_) deflateEnd(&stream_);
}

bool GzipSink::Deflate(std::span<const std::byte> bytes, int flush) {
  constexpr size_t kMostAtOnce = std::numeric_limits<uInt>::max();
  do {
    const auto part = bytes.first(std::min(bytes.size(), kMostAtOnce));
    bytes = bytes.subspan(part.size());
    // zlib does not write there; its interface is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(compressed_.data());
      stream_.avail_out = static_cast<uInt>(compressed_.size());
      deflate(&stream_, bytes.empty() ? flush : Z_NO_FLUSH);
      const size_t made = compressed_.size() - stream_.avail_out;
      if (!output_.Write(std::span(compressed_).first(made))) return false;
    } while (stream_.avail_out == 0);
  } while (!bytes.empty());
  return true;
}

bool GzipSink::Write(std::span<const std::byte> records) {
  if (failed_ || closed_) return false;
  if (!Deflate(records, Z_NO_FLUSH)) {
    GoBackToFlushed();
    return false;
  }
  now_.crc = crc32_z(now_.crc, reinterpret_cast<const Bytef*>(records.data()), records.size());
  now_.bytes_in += records.size();
  if (now_.bytes_in - flushed_.bytes_in >= kMaxUnflushedBytes) return Flush();
  return true;
}

bool GzipSink::Flush() {
  if (failed_ || closed_) return false;
  if (now_.bytes_in == flushed_.bytes_in) return true;
  if (!Deflate({}, Z_SYNC_FLUSH)) {
    GoBackToFlushed();
    return false;
  }
  now_.bytes_out = output_.size();
  flushed_ = now_;
  return true;
}

bool GzipSink::WriteTrailer() {
  std::array<uint8_t, kLastBlock.size() + 8> trailer{};
  auto next = std::copy(kLastBlock.begin(), kLastBlock.end(), trailer.begin());
  // RFC 1952, 2.3.1: checksum, and size modulo 2^32, least significant byte first.
  for (const uint64_t value : {uint64_t{flushed_.crc}, flushed_.bytes_in}) {
    for (int shift = 0; shift < 32; shift += 8) *next++ = static_cast<uint8_t>(value >> shift);
  }
  return output_.Write(std::as_bytes(std::span(trailer)));
}

util::Status GzipSink::Close() {
  if (!closed_) {
    if (Flush() && !WriteTrailer()) GoBackToFlushed();
    closed_ = true;
  }
  if (!stream_ready_) return util::Error{"out of memory for compression", ""};
  return output_.Close();
}

void GzipSink::GoBackToFlushed() {
  failed_ = true;
  now_ = flushed_;
  // Cutting frees what the trailer needs. A pipe is left as it is.
  if (output_.CutTo(flushed_.bytes_out)) WriteTrailer();
}

}  // namespace sink
