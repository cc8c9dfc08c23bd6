// SPDX-License-Identifier: BSD-2-Clause
// A lookup of names in the kernel's BTF, to probe features. libbpf parses all of it when programs
// are loaded, which takes ten times as long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/btf/btf_layout.h"
#include "util/result.h"

namespace capture {

class KernelTypes {
 public:
  using Kind = BtfKind;

  // An error if the file cannot be read or is not BTF of the kinds of Linux 6.0, which loaders must
  // know.
  static util::Result<KernelTypes> Load(const std::string& path = "/sys/kernel/btf/vmlinux");

  // BTF id; 0 if there is none of this name. Kinds: structs, typedefs, functions, variables,
  // sections.
  uint32_t Find(Kind kind, std::string_view name) const;

  // BTF ids of all structs and typedefs with one of these names.
  std::vector<uint32_t> FindAll(const std::unordered_set<std::string_view>& names) const;

  // The type with its members; that of void for an unknown id.
  std::span<const std::byte> Record(uint32_t id) const;
  // The string at this offset; empty if out of range.
  std::string_view NameAt(uint32_t offset) const;

  // The offset of a per-CPU variable in the per-CPU area, bytes.
  std::optional<uint64_t> PerCpuOffset(std::string_view variable) const;

  // BTF id of the type that a program for this tracepoint needs; 0 if there is no such tracepoint.
  uint32_t FindTracepoint(std::string_view tracepoint) const;

  // The number of arguments the tracepoint passes; -1 if there is no such tracepoint.
  int TracepointArguments(std::string_view tracepoint) const;

 private:
  struct Unmap {
    size_t bytes;
    void operator()(const std::byte* data) const;
  };
  struct Name {
    uint32_t id;
    uint32_t name;  // offset into the strings
  };

  util::Status Open(const std::string& path);
  // Returns false if the data is not BTF.
  bool Index();
  // If the typedef is that of a tracepoint.
  void AddTracepoint(uint32_t id, uint32_t name);
  uint32_t WordAt(size_t offset) const;
  BtfType TypeAt(size_t offset) const;

  std::unique_ptr<const std::byte, Unmap> mapped_{nullptr, Unmap{0}};
  std::vector<std::byte> copied_;  // if the file cannot be mapped
  std::span<const std::byte> data_;
  std::string_view strings_;
  std::array<std::vector<Name>, 32> names_;  // by kind, in the order of the file
  std::vector<uint32_t> offsets_;            // offsets into data_ by id; 0 is void
  std::unordered_map<std::string_view, uint32_t> tracepoints_;  // ids by name, which is in strings_
};

}  // namespace capture
