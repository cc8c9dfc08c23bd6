// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/byte_source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace fxt {
namespace {

ReadResult CopyFrom(std::span<const std::byte> bytes, size_t& next, std::span<std::byte> into) {
  const size_t n = std::min(into.size(), bytes.size() - next);
  if (n == 0) return ReadResult::Of(ReadResult::Kind::kEnd);
  std::memcpy(into.data(), bytes.data() + next, n);
  next += n;
  return ReadResult::Bytes(n);
}

}  // namespace

ReadResult MemorySource::Read(std::span<std::byte> into) { return CopyFrom(bytes_, next_, into); }

FdSource::FdSource(int fd, Ownership ownership) : fd_(fd), ownership_(ownership) {
  struct stat info;
  if (fstat(fd_, &info) == 0 && S_ISREG(info.st_mode)) {
    total_ = static_cast<uint64_t>(info.st_size);
    posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
}

FdSource::~FdSource() {
  if (ownership_ == Ownership::kOwned) close(fd_);
}

ReadResult FdSource::Read(std::span<std::byte> into) {
  for (;;) {
    const ssize_t n = read(fd_, into.data(), into.size());
    if (n > 0) {
      position_ += static_cast<uint64_t>(n);
      return ReadResult::Bytes(static_cast<size_t>(n));
    }
    if (n == 0) return ReadResult::Of(ReadResult::Kind::kEnd);
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return ReadResult::Of(ReadResult::Kind::kAgain);
    error_ = errno;
    return ReadResult::Of(ReadResult::Kind::kError);
  }
}

std::string FdSource::ErrorText() const {
  return error_ == 0 ? std::string() : std::generic_category().message(error_);
}

std::unique_ptr<MappedFileSource> MappedFileSource::Map(int fd, std::error_code& error) {
  struct stat info;
  if (fstat(fd, &info) != 0) {
    error.assign(errno, std::generic_category());
    return nullptr;
  }
  if (!S_ISREG(info.st_mode)) {
    error.assign(S_ISDIR(info.st_mode) ? EISDIR : ENODEV, std::generic_category());
    return nullptr;
  }
  error.clear();
  const auto size = static_cast<size_t>(info.st_size);
  // mmap refuses a length of 0; an empty file is an empty source.
  if (size == 0) return std::unique_ptr<MappedFileSource>(new MappedFileSource({}));
  void* address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED) {
    error.assign(errno, std::generic_category());
    return nullptr;
  }
  madvise(address, size, MADV_SEQUENTIAL);
  return std::unique_ptr<MappedFileSource>(
      new MappedFileSource({static_cast<const std::byte*>(address), size}));
}

MappedFileSource::~MappedFileSource() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

ReadResult MappedFileSource::Read(std::span<std::byte> into) {
  return CopyFrom(bytes_, next_, into);
}

void MappedFileSource::Release(uint64_t offset) {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t end = std::min<uint64_t>(offset, bytes_.size()) / page * page;
  if (end <= released_) return;
  // In a private read-only mapping, dropped pages are read again from the page cache on access.
  madvise(const_cast<std::byte*>(bytes_.data()) + released_, end - released_, MADV_DONTNEED);
  released_ = end;
}

}  // namespace fxt
