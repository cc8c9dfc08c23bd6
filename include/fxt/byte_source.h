// SPDX-License-Identifier: BSD-2-Clause
// Where a Reader takes its bytes from: memory, a mapped file, a descriptor (pipe, socket, file).
// Other sources (decompression, sockets with framing) derive from ByteSource outside this library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>

namespace fxt {

// What one ByteSource::Read gave.
struct ReadResult {
  enum class Kind : uint8_t {
    kBytes,      // `bytes` > 0 bytes were stored
    kAgain,      // nothing now, perhaps later (a non-blocking descriptor)
    kEnd,        // there will never be more
    kTruncated,  // there will never be more, and the source knows that some is missing
    kError,      // ErrorText() says what failed
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

  // All the bytes, when they lie in memory for as long as the source lives; Read is not used then.
  virtual std::optional<std::span<const std::byte>> Contents() const { return std::nullopt; }

  // The reader of Contents() will not look before byte `offset` again: pages may be given back.
  virtual void Release(uint64_t offset) { (void)offset; }

  // Why Read returned kError or kTruncated, for people.
  virtual std::string ErrorText() const { return {}; }

  // Bytes taken from the underlying file so far and its size, both as stored (compressed bytes of a
  // compressed file); 0 when unknown. For progress only.
  virtual uint64_t position() const { return 0; }
  virtual uint64_t total() const { return 0; }
};

// Bytes that the caller keeps alive.
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

// A descriptor read to its end. A non-blocking one yields kAgain when it has nothing.
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

// A regular file mapped read-only. Pages behind the reader are given back, so that resident memory
// does not grow with the file. It may grow while it is read (the size is taken once). The kernel
// answers a look at what was cut off meanwhile with SIGBUS; FdSource knows nothing of the kind.
class MappedFileSource final : public ByteSource {
 public:
  // Maps what `fd` refers to; the descriptor may be closed afterwards. Null and `error` when it
  // cannot be mapped (a pipe, a directory).
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
