// SPDX-License-Identifier: BSD-2-Clause
// Helpers for tests of sinks: records, temporary folders, disks that fill up.
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

// Returns whole records of 1 to 40 words, at least `bytes` bytes in all. Contents depend on `seed`
// and are hard to compress.
std::vector<std::byte> Records(size_t bytes, uint32_t seed);

// Walks the records by their size fields: true if the last one ends at the end of `bytes`.
bool EndsAtARecord(std::span<const std::byte> bytes);

using TemporaryFolder = testing_support::TempFolder;

// A tmpfs of `bytes` bytes on its own folder; empty if this process may not mount.
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

// Limits the files of this process to `bytes` bytes during its lifetime; larger writes fail with
// EFBIG.
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

// Programs that write to pipes ignore SIGPIPE.
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

// Returns the output of `zcat` and whether it succeeded; empty if zcat is not installed.
struct Unpacked {
  std::vector<std::byte> bytes;
  bool complete = false;
};
std::optional<Unpacked> Zcat(const std::string& path);

}  // namespace sink::testing
