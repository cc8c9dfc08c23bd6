// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/kernel_types.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "util/unique_fd.h"

namespace capture {
namespace {

struct Header {
  uint16_t magic;
  uint8_t version;
  uint8_t flags;
  uint32_t header_bytes;
  uint32_t type_offset;
  uint32_t type_bytes;
  uint32_t string_offset;
  uint32_t string_bytes;
};
constexpr uint16_t kMagic = 0xeb9f;
// A type is its name, its kind and number of members, and its size or the type it refers to; then
// come what members it has.
constexpr size_t kTypeBytes = 12;

constexpr uint32_t KindOf(uint32_t info) { return info >> 24 & 31; }
constexpr uint32_t CountOf(uint32_t info) { return info & 0xffff; }

struct MemberBytes {
  int8_t fixed;  // -1: no such kind
  int8_t each;
};
// By kind: void, integer, pointer, array, struct, union, enum, forward, typedef, volatile, const,
// restrict, function, prototype, variable, data section, float, declaration tag, type tag, 64-bit
// enum.
constexpr std::array<MemberBytes, 32> kMemberBytes = [] {
  std::array<MemberBytes, 32> bytes{};
  bytes.fill({-1, 0});
  constexpr MemberBytes kKnown[] = {{-1, 0}, {4, 0},  {0, 0}, {12, 0}, {0, 12}, {0, 12}, {0, 8},
                                    {0, 0},  {0, 0},  {0, 0}, {0, 0},  {0, 0},  {0, 0},  {0, 8},
                                    {4, 0},  {0, 12}, {0, 0}, {4, 0},  {0, 0},  {0, 12}};
  std::copy(std::begin(kKnown), std::end(kKnown), bytes.begin());
  return bytes;
}();
// What Find() looks for.
constexpr std::array<bool, 32> kFound = [] {
  std::array<bool, 32> found{};
  for (const auto kind :
       {KernelTypes::Kind::kStruct, KernelTypes::Kind::kTypedef, KernelTypes::Kind::kFunction,
        KernelTypes::Kind::kVariable, KernelTypes::Kind::kSection}) {
    found[static_cast<size_t>(kind)] = true;
  }
  return found;
}();
constexpr uint32_t kPointer = 2;
constexpr uint32_t kPrototype = 13;

// The file has no size that could be relied on everywhere.
bool ReadAll(int fd, std::vector<std::byte>* bytes) {
  constexpr size_t kMost = size_t{256} << 20;
  bytes->resize(size_t{8} << 20);
  for (size_t filled = 0;;) {
    const ssize_t got = read(fd, bytes->data() + filled, bytes->size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    filled += static_cast<size_t>(got);
    if (got == 0) {
      bytes->resize(filled);
      return true;
    }
    if (filled == bytes->size()) {
      if (filled >= kMost) {
        errno = EFBIG;
        return false;
      }
      bytes->resize(2 * filled);
    }
  }
}

}  // namespace

void KernelTypes::Unmap::operator()(const std::byte* data) const {
  munmap(const_cast<std::byte*>(data), bytes);
}

util::Result<KernelTypes> KernelTypes::Load(const std::string& path) {
  KernelTypes types;
  if (util::Status status = types.Open(path); !status) return status.error();
  if (!types.Index()) {
    return util::Error{fmt::format("{} holds no type information that this program knows", path),
                       ""};
  }
  return types;
}

util::Status KernelTypes::Open(const std::string& path) {
  util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status = {};
  if (fd && fstat(fd.get(), &status) == 0 && status.st_size > 0) {
    // Since 6.16 the kernel lets its own be mapped.
    const auto bytes = static_cast<size_t>(status.st_size);
    void* data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data != MAP_FAILED) {
      mapped_ = std::unique_ptr<const std::byte, Unmap>(static_cast<const std::byte*>(data),
                                                        Unmap{bytes});
      data_ = {mapped_.get(), bytes};
      return util::Ok();
    }
  }
  if (!fd || !ReadAll(fd.get(), &copied_)) {
    return util::Error{fmt::format("cannot read {}: {}", path, strerror(errno)), ""};
  }
  data_ = copied_;
  return util::Ok();
}

uint32_t KernelTypes::WordAt(size_t offset) const {
  uint32_t word = 0;
  std::memcpy(&word, data_.data() + offset, sizeof(word));
  return word;
}

bool KernelTypes::Index() {
  Header header = {};
  if (data_.size() < sizeof(header)) return false;
  std::memcpy(&header, data_.data(), sizeof(header));
  const uint64_t begin = uint64_t{header.header_bytes} + header.type_offset;
  const uint64_t end = begin + header.type_bytes;
  const uint64_t strings = uint64_t{header.header_bytes} + header.string_offset;
  if (header.magic != kMagic || end > data_.size() ||
      strings + header.string_bytes > data_.size()) {
    return false;
  }
  strings_ = {reinterpret_cast<const char*>(data_.data()) + strings, header.string_bytes};
  offsets_.push_back(0);
  uint64_t at = begin;
  while (at + kTypeBytes <= end) {
    const uint32_t info = WordAt(at + 4);
    const MemberBytes members = kMemberBytes[KindOf(info)];
    const auto id = static_cast<uint32_t>(offsets_.size());
    if (kFound[KindOf(info)]) names_[KindOf(info)].push_back({id, WordAt(at)});
    if (members.fixed < 0) return false;
    offsets_.push_back(static_cast<uint32_t>(at));
    at += kTypeBytes + static_cast<uint64_t>(members.fixed) +
          static_cast<uint64_t>(members.each) * CountOf(info);
  }
  return at == end;
}

std::string_view KernelTypes::NameAt(uint32_t offset) const {
  if (offset >= strings_.size()) return "";
  const std::string_view rest = strings_.substr(offset);
  return rest.substr(0, strnlen(rest.data(), rest.size()));
}

uint32_t KernelTypes::Find(Kind kind, std::string_view name) const {
  const auto& names = names_[static_cast<size_t>(kind)];
  const auto found = std::find_if(names.begin(), names.end(), [&](const Name& candidate) {
    // A name is as long as the one that is looked for, and then ends.
    return candidate.name < strings_.size() && strings_.size() - candidate.name > name.size() &&
           strings_[candidate.name + name.size()] == '\0' && NameAt(candidate.name) == name;
  });
  return found == names.end() ? 0 : found->id;
}

std::optional<uint64_t> KernelTypes::PerCpuPlace(std::string_view variable) const {
  const uint32_t section = Find(Kind::kSection, ".data..percpu");
  const uint32_t id = Find(Kind::kVariable, variable);
  if (section == 0 || id == 0) return std::nullopt;
  // A section's members are the variable, its place and its size.
  constexpr size_t kMemberSize = 12;
  for (uint32_t i = 0; i < CountOf(WordAt(offsets_[section] + 4)); ++i) {
    const size_t member = offsets_[section] + kTypeBytes + i * kMemberSize;
    if (WordAt(member) == id) return WordAt(member + 4);
  }
  return std::nullopt;
}

int KernelTypes::TracepointArguments(std::string_view tracepoint) const {
  // typedef void (*btf_trace_NAME)(void *, arguments...)
  const uint32_t id = Find(Kind::kTypedef, fmt::format("btf_trace_{}", tracepoint));
  if (id == 0) return -1;
  const uint32_t pointer = WordAt(offsets_[id] + 8);
  if (pointer == 0 || pointer >= offsets_.size()) return -1;
  const uint32_t prototype = WordAt(offsets_[pointer] + 8);
  if (KindOf(WordAt(offsets_[pointer] + 4)) != kPointer || prototype == 0 ||
      prototype >= offsets_.size()) {
    return -1;
  }
  const uint32_t info = WordAt(offsets_[prototype] + 4);
  return KindOf(info) == kPrototype ? static_cast<int>(CountOf(info)) - 1 : -1;
}

}  // namespace capture
