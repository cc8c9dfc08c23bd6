// SPDX-License-Identifier: BSD-2-Clause
#include "view/index_stream.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace view {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;

}  // namespace

void IndexWriter::PutBytes(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  hash_.Add(bytes);
  buffer_.reserve(kBufferBytes);
  while (!bytes.empty()) {
    const size_t taken = std::min(bytes.size(), kBufferBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(taken));
    bytes = bytes.subspan(taken);
    if (buffer_.size() == kBufferBytes) Flush();
  }
}

void IndexWriter::Flush() {
  std::span<const std::byte> rest = buffer_;
  while (!rest.empty() && !has_failed_) {
    const ssize_t written = pwrite(fd_, rest.data(), rest.size(), static_cast<off_t>(offset_));
    if (written < 0 && errno == EINTR) continue;
    has_failed_ = written <= 0;
    if (has_failed_) break;
    rest = rest.subspan(static_cast<size_t>(written));
    offset_ += static_cast<uint64_t>(written);
  }
  buffer_.clear();
}

bool IndexWriter::Finish() {
  Flush();
  return !has_failed_;
}

bool IndexReader::Fill() {
  buffer_.resize(std::min<uint64_t>(left_, kBufferBytes));
  at_ = 0;
  ssize_t got = -1;
  do {
    got = pread(fd_, buffer_.data(), buffer_.size(), static_cast<off_t>(offset_));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  buffer_.resize(static_cast<size_t>(got));
  offset_ += static_cast<uint64_t>(got);
  return true;
}

bool IndexReader::GetBytes(std::span<std::byte> into) {
  has_failed_ = has_failed_ || into.size() > left_;
  while (!into.empty() && !has_failed_) {
    if (at_ == buffer_.size() && !Fill()) has_failed_ = true;
    const size_t taken = std::min(into.size(), buffer_.size() - at_);
    std::memcpy(into.data(), buffer_.data() + at_, taken);
    into = into.subspan(taken);
    at_ += taken;
    left_ -= taken;
  }
  return !has_failed_;
}

bool IndexReader::GetCount(uint64_t& count, size_t entry_bytes) {
  if (!Get(count)) return false;
  has_failed_ = count > left_ / entry_bytes;
  return !has_failed_;
}

bool IndexReader::GetText(std::string& text) {
  uint64_t size = 0;
  if (!GetCount(size, 1)) return false;
  text.resize(size);
  return GetBytes(std::as_writable_bytes(std::span(text)));
}

}  // namespace view
