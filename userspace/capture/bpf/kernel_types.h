// SPDX-License-Identifier: BSD-2-Clause
// As much of the kernel's type information (BTF) as it takes to see what the kernel has. libbpf
// reads all of it when programs are loaded, which takes ten times as long; before that, a few names
// are enough. Layout: Documentation/bpf/btf.rst, sections 2 and 3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace capture {

class KernelTypes {
 public:
  enum class Kind : uint8_t { kStruct = 4, kTypedef = 8, kVariable = 14 };

  // An error when the file cannot be read, or holds something else than BTF of the kinds that were
  // known in Linux 6.0, which is what a kernel's loader has to know as well.
  static util::Result<KernelTypes> Load(const std::string& path = "/sys/kernel/btf/vmlinux");

  // BTF id; 0 when there is none of this name.
  uint32_t Find(Kind kind, std::string_view name) const;

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
  std::string_view NameAt(uint32_t offset) const;
  static size_t PlaceOf(Kind kind) {
    return kind == Kind::kStruct ? 0 : kind == Kind::kTypedef ? 1 : 2;
  }

  std::unique_ptr<const std::byte, Unmap> mapped_{nullptr, Unmap{0}};
  std::vector<std::byte> copied_;  // where the file cannot be mapped
  std::span<const std::byte> data_;
  std::string_view strings_;
  std::array<std::vector<Name>, 3> names_;  // by PlaceOf(), in the order of the file
  std::vector<uint32_t> offsets_;           // of types in data_, by id; 0 is void
};

}  // namespace capture
