// SPDX-License-Identifier: BSD-2-Clause
#include "unit/sink/sink_test_support.h"

#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

namespace sink::testing {

namespace fs = std::filesystem;

std::vector<std::byte> Records(size_t bytes, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint64_t> words;
  while (words.size() * 8 < bytes) {
    const uint64_t size = 1 + random() % 40;
    words.push_back(uint64_t{random()} << 16 | size << 4 | 9);
    for (uint64_t i = 1; i < size; ++i) words.push_back(random());
  }
  std::vector<std::byte> result(words.size() * 8);
  std::memcpy(result.data(), words.data(), result.size());
  return result;
}

bool EndsAtARecord(std::span<const std::byte> bytes) {
  while (bytes.size() >= 8) {
    uint64_t header = 0;
    std::memcpy(&header, bytes.data(), 8);
    const size_t size = (header >> 4 & 0xfff) * 8;
    if (size == 0 || size > bytes.size()) return false;
    bytes = bytes.subspan(size);
  }
  return bytes.empty();
}

std::optional<SmallDisk> SmallDisk::Mount(size_t bytes) {
  auto folder = std::make_unique<TemporaryFolder>();
  const std::string options = "size=" + std::to_string(bytes);
  if (mount("tmpfs", folder->path().c_str(), "tmpfs", 0, options.c_str()) != 0) return std::nullopt;
  return SmallDisk(std::move(folder));
}

SmallDisk::~SmallDisk() {
  if (folder_) umount2(folder_->path().c_str(), MNT_DETACH);
}

FileSizeLimit::FileSizeLimit(size_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  before_ = limit.rlim_cur;
  limit.rlim_cur = bytes;
  handler_ = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
}

FileSizeLimit::~FileSizeLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = before_;
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler_);
}

IgnoreSigpipe::IgnoreSigpipe() : handler_(std::signal(SIGPIPE, SIG_IGN)) {}
IgnoreSigpipe::~IgnoreSigpipe() { std::signal(SIGPIPE, handler_); }

std::vector<std::byte> ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::byte> bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::optional<Unpacked> Zcat(const std::string& path) {
  if (std::system("command -v zcat >/dev/null") != 0) return std::nullopt;
  FILE* pipe = popen(("zcat '" + path + "' 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  Unpacked unpacked;
  std::array<std::byte, 65536> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    unpacked.bytes.insert(unpacked.bytes.end(), buffer.begin(), buffer.begin() + got);
  }
  unpacked.complete = pclose(pipe) == 0;
  return unpacked;
}

}  // namespace sink::testing
