// SPDX-License-Identifier: BSD-2-Clause
#include "capture/btf/kernel_types.h"

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

constexpr size_t kTypeBytes = sizeof(BtfType);

// The kinds that Find() supports.
constexpr std::array<bool, 32> kFound = [] {
  std::array<bool, 32> found{};
  for (const auto kind : {BtfKind::kStruct, BtfKind::kTypedef, BtfKind::kFunction,
                          BtfKind::kVariable, BtfKind::kSection}) {
    found[static_cast<size_t>(kind)] = true;
  }
  return found;
}();

// The file's size is unreliable on some kernels.
bool ReadAll(int fd, std::vector<std::byte>* bytes) {
  constexpr size_t kMax = size_t{256} << 20;
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
      if (filled >= kMax) {
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
    // Since 6.16 the kernel's BTF can be mapped.
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

BtfType KernelTypes::TypeAt(size_t offset) const {
  BtfType type = {};
  std::memcpy(&type, data_.data() + offset, sizeof(type));
  return type;
}

bool KernelTypes::Index() {
  BtfHeader header = {};
  if (data_.size() < sizeof(header)) return false;
  std::memcpy(&header, data_.data(), sizeof(header));
  const uint64_t begin = uint64_t{header.header_bytes} + header.type_offset;
  const uint64_t end = begin + header.type_bytes;
  const uint64_t strings = uint64_t{header.header_bytes} + header.string_offset;
  if (header.magic != kBtfMagic || end > data_.size() ||
      strings + header.string_bytes > data_.size()) {
    return false;
  }
  strings_ = {reinterpret_cast<const char*>(data_.data()) + strings, header.string_bytes};
  // Growing costs more than the rest. A type has 25 bytes on average.
  constexpr size_t kTypicalBytes = 24;
  offsets_.reserve(header.type_bytes / kTypicalBytes);
  for (size_t kind = 0; kind < kFound.size(); ++kind) {
    if (kFound[kind]) names_[kind].reserve(header.type_bytes / kTypicalBytes / 2);
  }
  offsets_.push_back(0);
  uint64_t at = begin;
  while (at + kTypeBytes <= end) {
    const BtfType type = TypeAt(at);
    const auto kind = static_cast<size_t>(type.kind());
    const BtfMemberBytes members = kBtfMemberBytes[kind];
    const auto id = static_cast<uint32_t>(offsets_.size());
    if (kFound[kind]) names_[kind].push_back({id, type.name});
    if (type.kind() == BtfKind::kTypedef) AddTracepoint(id, type.name);
    if (members.fixed < 0) return false;
    offsets_.push_back(static_cast<uint32_t>(at));
    at += kTypeBytes + static_cast<uint64_t>(members.fixed) +
          static_cast<uint64_t>(members.each) * type.count();
  }
  return at == end;
}

std::span<const std::byte> KernelTypes::Record(uint32_t id) const {
  static constexpr BtfType kVoid = {};
  if (id == 0 || id >= offsets_.size()) return std::as_bytes(std::span(&kVoid, 1));
  const BtfType type = TypeAt(offsets_[id]);
  const BtfMemberBytes members = kBtfMemberBytes[static_cast<size_t>(type.kind())];
  return data_.subspan(offsets_[id], kTypeBytes + static_cast<size_t>(members.fixed) +
                                         static_cast<size_t>(members.each) * type.count());
}

std::string_view KernelTypes::NameAt(uint32_t offset) const {
  if (offset >= strings_.size()) return "";
  const std::string_view rest = strings_.substr(offset);
  return rest.substr(0, strnlen(rest.data(), rest.size()));
}

uint32_t KernelTypes::Find(Kind kind, std::string_view name) const {
  const auto& names = names_[static_cast<size_t>(kind)];
  const auto found = std::find_if(names.begin(), names.end(), [&](const Name& candidate) {
    // The candidate must end where `name` ends.
    return candidate.name < strings_.size() && strings_.size() - candidate.name > name.size() &&
           strings_[candidate.name + name.size()] == '\0' && NameAt(candidate.name) == name;
  });
  return found == names.end() ? 0 : found->id;
}

std::vector<uint32_t> KernelTypes::FindAll(
    const std::unordered_set<std::string_view>& wanted) const {
  std::vector<uint32_t> found;
  for (const BtfKind kind : {BtfKind::kStruct, BtfKind::kTypedef}) {
    for (const Name& candidate : names_[static_cast<size_t>(kind)]) {
      if (wanted.contains(NameAt(candidate.name))) found.push_back(candidate.id);
    }
  }
  return found;
}

std::optional<uint64_t> KernelTypes::PerCpuOffset(std::string_view variable) const {
  const uint32_t section = Find(Kind::kSection, ".data..percpu");
  const uint32_t id = Find(Kind::kVariable, variable);
  if (section == 0 || id == 0) return std::nullopt;
  // A section's member is a variable, its offset and its size.
  constexpr size_t kMemberSize = 12;
  for (uint32_t i = 0; i < TypeAt(offsets_[section]).count(); ++i) {
    const size_t member = offsets_[section] + kTypeBytes + i * kMemberSize;
    if (WordAt(member) == id) return WordAt(member + 4);
  }
  return std::nullopt;
}

void KernelTypes::AddTracepoint(uint32_t id, uint32_t name) {
  constexpr std::string_view kPrefix = "btf_trace_";
  if (name >= strings_.size() || !strings_.substr(name).starts_with(kPrefix)) return;
  tracepoints_.emplace(NameAt(name).substr(kPrefix.size()), id);
}

uint32_t KernelTypes::FindTracepoint(std::string_view tracepoint) const {
  const auto found = tracepoints_.find(tracepoint);
  return found == tracepoints_.end() ? 0 : found->second;
}

int KernelTypes::TracepointArguments(std::string_view tracepoint) const {
  // typedef void (*btf_trace_NAME)(void *, arguments...)
  const uint32_t id = FindTracepoint(tracepoint);
  if (id == 0) return -1;
  const uint32_t pointer = TypeAt(offsets_[id]).size_or_type;
  if (pointer == 0 || pointer >= offsets_.size()) return -1;
  const uint32_t prototype = TypeAt(offsets_[pointer]).size_or_type;
  if (TypeAt(offsets_[pointer]).kind() != BtfKind::kPointer || prototype == 0 ||
      prototype >= offsets_.size()) {
    return -1;
  }
  const BtfType type = TypeAt(offsets_[prototype]);
  return type.kind() == BtfKind::kPrototype ? static_cast<int>(type.count()) - 1 : -1;
}

}  // namespace capture
