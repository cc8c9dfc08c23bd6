// SPDX-License-Identifier: BSD-2-Clause
// Reads as much of the kernel's BTF as bpf(2) calls need. Independent of libbpf, so the probe
// checks the results of libbpf. Layout: Documentation/bpf/btf.rst, sections 2 and 3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace probe {

class KernelTypes {
 public:
  // Without BTF the object has no types.
  static KernelTypes Load(const char* path = "/sys/kernel/btf/vmlinux");

  size_t bytes() const { return data_.size(); }
  // Returns the BTF id of a typedef, function or struct, or 0.
  uint32_t FindTypedef(const std::string& name) const { return Find(kTypedef, name); }
  uint32_t FindFunction(const std::string& name) const { return Find(kFunction, name); }
  bool StructHasMember(const std::string& structure, const std::string& member) const;
  // Returns the number of parameters of the raw tracepoint `name` without the context pointer, or
  // -1.
  int TracepointParameters(const std::string& name) const;
  // The highest kind of type, which a loader has to support.
  uint32_t highest_kind() const { return highest_kind_; }

 private:
  static constexpr uint32_t kPointer = 2;
  static constexpr uint32_t kStruct = 4;
  static constexpr uint32_t kTypedef = 8;
  static constexpr uint32_t kFunction = 12;

  struct Type {
    uint32_t name;    // offset into the string section
    uint32_t info;    // kind in bits 24..28, member count in bits 0..15
    uint32_t size;    // or the id of the type it refers to
    size_t trailing;  // where in data_ the members begin
  };

  uint32_t Find(uint32_t kind, const std::string& name) const;
  const char* NameAt(uint32_t offset) const;

  std::string data_;
  size_t strings_ = 0;
  size_t strings_end_ = 0;
  std::vector<Type> types_;  // by id; 0 is void
  uint32_t highest_kind_ = 0;
};

}  // namespace probe
