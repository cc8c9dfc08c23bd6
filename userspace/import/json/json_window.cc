// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/json_window.h"

#include <poll.h>

#include <algorithm>
#include <cstring>

namespace importer {

JsonWindow::JsonWindow(fxt::ByteSource& source, size_t max_bytes)
    : source_(source), max_bytes_(max_bytes), capacity_(std::min(kFirstBytes, max_bytes)) {
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity_ + 1);
  buffer_[0] = '\0';
}

bool JsonWindow::More() {
  if (ended_) return false;
  const size_t have = end_ - at_;
  if (have == capacity_) {
    if (capacity_ >= max_bytes_) return false;
    const size_t larger = std::min(capacity_ * 2, max_bytes_);
    auto grown = std::make_unique_for_overwrite<char[]>(larger + 1);
    std::memcpy(grown.get(), buffer_.get() + at_, have);
    buffer_ = std::move(grown);
    capacity_ = larger;
  } else if (at_ != 0) {
    std::memmove(buffer_.get(), buffer_.get() + at_, have);
  }
  base_ += at_;
  at_ = 0;
  end_ = have;
  while (end_ < capacity_) {
    char* const into = buffer_.get() + end_;
    const fxt::ReadResult read =
        source_.Read({reinterpret_cast<std::byte*>(into), capacity_ - end_});
    if (read.kind == fxt::ReadResult::Kind::kBytes) {
      end_ += read.bytes;
      continue;
    }
    if (read.kind == fxt::ReadResult::Kind::kAgain) {
      poll(nullptr, 0, 1);
      continue;
    }
    ended_ = true;
    if (read.kind != fxt::ReadResult::Kind::kEnd) failure_ = source_.ErrorText();
    break;
  }
  buffer_[end_] = '\0';
  source_.Release(base_);
  return end_ > have;
}

char JsonWindow::Peek() {
  if (at_ == end_) More();
  return buffer_[at_];
}

}  // namespace importer
