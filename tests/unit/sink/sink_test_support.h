// SPDX-License-Identifier: BSD-2-Clause
// What the tests of the sinks share: records to write, folders that go away, disks that fill up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/temp_folder.h"

namespace sink::testing {

// Whole records of 1 to 40 words, `bytes` bytes or a few more. Contents depend on `seed` and do not
// compress to nothing.
std::vector<std::byte> Records(size_t bytes, uint32_t seed);

// Runs over `bytes` by the size fields: true if the last record ends where they end.
bool EndsAtARecord(std::span<const std::byte> bytes);

using TemporaryFolder = testing_support::TempFolder;

// A file system in memory of `bytes` bytes, mounted on a folder of its own. None where this process
// may not mount.
class SmallDisk {
 public:
  static std::optional<SmallDisk> Mount(size_t bytes);
  SmallDisk(SmallDisk&&) noexcept = default;
  SmallDisk& operator=(SmallDisk&&) = delete;
  ~SmallDisk();
  std::string operator/(const std::string& name) const { return *folder_ / name; }

 private:
  explicit SmallDisk(std::unique_ptr<TemporaryFolder> folder) : folder_(std::move(folder)) {}
  std::unique_ptr<TemporaryFolder> folder_;  // none in what was moved from
};

// Files of this process cannot grow beyond `bytes` while it lives; writing fails with EFBIG then.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(size_t bytes);
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit();

 private:
  uint64_t before_;
  void (*handler_)(int);
};

// As every program that writes to a pipe has to.
class IgnoreSigpipe {
 public:
  IgnoreSigpipe();
  IgnoreSigpipe(const IgnoreSigpipe&) = delete;
  IgnoreSigpipe& operator=(const IgnoreSigpipe&) = delete;
  ~IgnoreSigpipe();

 private:
  void (*handler_)(int);
};

std::vector<std::byte> ReadBytes(const std::string& path);

// What `zcat` makes of the file, and whether it was content with it. None if there is no zcat.
struct Unpacked {
  std::vector<std::byte> bytes;
  bool complete = false;
};
std::optional<Unpacked> Zcat(const std::string& path);

}  // namespace sink::testing
