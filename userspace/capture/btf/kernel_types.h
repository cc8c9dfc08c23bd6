// SPDX-License-Identifier: BSD-2-Clause
// As much of the kernel's type information (BTF) as it takes to see what the kernel has. libbpf
// reads all of it when programs are loaded, which takes ten times as long; before that, a few names
// are enough.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "capture/btf/btf_layout.h"
#include "util/result.h"

namespace capture {

class KernelTypes {
 public:
  using Kind = BtfKind;

  // An error when the file cannot be read, or holds something else than BTF of the kinds that were
  // known in Linux 6.0, which is what a kernel's loader has to know as well.
  static util::Result<KernelTypes> Load(const std::string& path = "/sys/kernel/btf/vmlinux");

  // BTF id; 0 when there is none of this name. Of structs, typedefs, functions, variables,
  // sections.
  uint32_t Find(Kind kind, std::string_view name) const;

  // BTF ids of all structs and typedefs with one of these names.
  std::vector<uint32_t> FindAll(const std::unordered_set<std::string_view>& names) const;

  // The type with what members it has; that of no type where there is none of this id.
  std::span<const std::byte> Record(uint32_t id) const;
  // The string at this place, up to its end; empty where there is none.
  std::string_view NameAt(uint32_t offset) const;

  // Where a per-CPU variable is in a CPU's area, bytes from its begin.
  std::optional<uint64_t> PerCpuPlace(std::string_view variable) const;

  // BTF id of the type that a program for this tracepoint names; 0 when there is no such
  // tracepoint.
  uint32_t FindTracepoint(std::string_view tracepoint) const;

  // How many arguments the tracepoint passes to a program; -1 when there is no such tracepoint.
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
  // False for what is no BTF.
  bool Index();
  uint32_t WordAt(size_t offset) const;
  BtfType TypeAt(size_t offset) const;

  std::unique_ptr<const std::byte, Unmap> mapped_{nullptr, Unmap{0}};
  std::vector<std::byte> copied_;  // where the file cannot be mapped
  std::span<const std::byte> data_;
  std::string_view strings_;
  std::array<std::vector<Name>, 32> names_;  // by kind, in the order of the file
  std::vector<uint32_t> offsets_;            // of types in data_, by id; 0 is void
};

}  // namespace capture
