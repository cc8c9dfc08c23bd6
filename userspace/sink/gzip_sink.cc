// SPDX-License-Identifier: BSD-2-Clause
#include "sink/gzip_sink.h"

#include <algorithm>

#include "fxt/record_boundary.h"

namespace sink {
namespace {

constexpr size_t kMostInput = BlockCompressor::kMaxInputBytes;
// Fill levels of the queue above which the level is at most 1, and 0.
constexpr double kFastestFrom = 0.4;
constexpr double kStoredFrom = 0.7;

}  // namespace

GzipSink::GzipSink(Output output, GzipEffort effort) : output_(std::move(output)), effort_(effort) {
  pending_.reserve(kMostInput);
}

GzipSink::~GzipSink() { static_cast<void>(Close()); }

int GzipSink::Level() const {
  if (!effort_.may_fall || pressure_ < kFastestFrom) return effort_.level;
  return pressure_ < kStoredFrom ? std::min(effort_.level, 1) : 0;
}

bool GzipSink::WriteMember(std::span<const std::byte> bytes) {
  const uint64_t before = output_.size();
  // A record longer than a block takes several.
  for (size_t at = 0; at < bytes.size(); at += kMostInput) {
    const auto part = bytes.subspan(at, std::min(kMostInput, bytes.size() - at));
    const auto block = compressor_.Compress(part, Level());
    no_memory_ = block.empty();
    if (!no_memory_ && output_.Write(block)) continue;
    failed_ = true;
    // Cutting the file frees the space of the end block. A pipe cannot be cut.
    if (output_.CutTo(before)) WriteEnd();
    return false;
  }
  bytes_in_ += bytes.size();
  return true;
}

bool GzipSink::WritePending() {
  if (pending_.empty()) return true;
  const bool ok = WriteMember(pending_);
  pending_.clear();
  return ok;
}

bool GzipSink::Write(std::span<const std::byte> records) {
  if (failed_ || closed_) return false;
  while (!records.empty()) {
    const size_t room = kMostInput - pending_.size();
    size_t part = records.size() < room ? records.size() : fxt::WholeRecordBytes(records, room);
    if (pending_.empty() && records.size() >= room) {
      if (part == 0) part = fxt::FirstRecordBytes(records);
      if (part == 0 || part > records.size()) part = records.size();
      if (!WriteMember(records.first(part))) return false;
    } else {
      pending_.insert(pending_.end(), records.begin(), records.begin() + static_cast<long>(part));
      if (part != records.size() && !WritePending()) return false;
    }
    records = records.subspan(part);
  }
  return true;
}

bool GzipSink::Flush() { return !failed_ && !closed_ && WritePending(); }

bool GzipSink::WriteEnd() {
  const uint64_t before = output_.size();
  if (output_.Write(BlockCompressor::End())) return true;
  output_.CutTo(before);
  return false;
}

util::Status GzipSink::Close() {
  if (!closed_) {
    if (Flush()) WriteEnd();
    closed_ = true;
  }
  auto status = output_.Close();
  if (no_memory_) return util::Error{"out of memory for compression", ""};
  return status;
}

}  // namespace sink
