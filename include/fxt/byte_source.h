// SPDX-License-Identifier: BSD-2-Clause
// The byte source of a Reader: memory, a mapped file, a descriptor (pipe, socket, file). Other
// sources (decompression, sockets with framing) derive from ByteSource outside this library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

namespace fxt {

// The result of one ByteSource::Read.
struct ReadResult {
  enum class Kind : uint8_t {
    kBytes,      // `bytes` > 0 bytes were stored
    kAgain,      // no bytes now, perhaps later (a non-blocking descriptor)
    kEnd,        // the end of the input
    kTruncated,  // the end of the input, and the source knows that bytes are missing
    kError,      // ErrorText() describes the failure
  };
  Kind kind = Kind::kEnd;
  size_t bytes = 0;

  static constexpr ReadResult Bytes(size_t n) { return {Kind::kBytes, n}; }
  static constexpr ReadResult Of(Kind kind) { return {kind, 0}; }
};

class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  // Stores up to `into.size()` (> 0) bytes at the start of `into`.
  virtual ReadResult Read(std::span<std::byte> into) = 0;

  // All bytes, if they lie in memory for the lifetime of the source. Read is not used then.
  virtual std::optional<std::span<const std::byte>> Contents() const { return std::nullopt; }

  // The reader of Contents() does not access bytes before `offset` again: the source may release
  // pages.
  virtual void Release(uint64_t offset) { (void)offset; }

  // A message for users: why Read returned kError or kTruncated.
  virtual std::string ErrorText() const { return {}; }

  // Bytes consumed of the underlying file, and its size, both as stored (compressed bytes of a
  // compressed file); 0 if unknown. For progress only.
  virtual uint64_t position() const { return 0; }
  virtual uint64_t total() const { return 0; }
};

// Reads bytes that the caller keeps alive.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  ReadResult Read(std::span<std::byte> into) override;
  std::optional<std::span<const std::byte>> Contents() const override { return bytes_; }
  uint64_t total() const override { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  size_t next_ = 0;
};

// Reads a descriptor to its end. A non-blocking one yields kAgain while it has no bytes.
class FdSource final : public ByteSource {
 public:
  enum class Ownership : uint8_t { kBorrowed, kOwned };

  explicit FdSource(int fd, Ownership ownership = Ownership::kBorrowed);
  ~FdSource() override;

  ReadResult Read(std::span<std::byte> into) override;
  std::string ErrorText() const override;
  uint64_t position() const override { return position_; }
  uint64_t total() const override { return total_; }

 private:
  int fd_;
  Ownership ownership_;
  int error_ = 0;
  uint64_t position_ = 0;
  uint64_t total_ = 0;
};

// Maps a regular file read-only. Release() drops pages behind the reader, so that resident memory
// does not grow with the file. The size is taken once; the file may grow meanwhile. Access to a
// part that was truncated meanwhile raises SIGBUS; FdSource has no such risk.
class MappedFileSource final : public ByteSource {
 public:
  // Maps the file of `fd`; the descriptor may be closed afterwards. Returns null and sets `error`
  // if it cannot be mapped (a pipe, a directory).
  static std::unique_ptr<MappedFileSource> Map(int fd, std::error_code& error);
  ~MappedFileSource() override;

  ReadResult Read(std::span<std::byte> into) override;
  std::optional<std::span<const std::byte>> Contents() const override { return bytes_; }
  void Release(uint64_t offset) override;
  uint64_t position() const override { return released_; }
  uint64_t total() const override { return bytes_.size(); }

 private:
  explicit MappedFileSource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::span<const std::byte> bytes_;
  uint64_t released_ = 0;
  size_t next_ = 0;
};

}  // namespace fxt
