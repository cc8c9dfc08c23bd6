// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/syscall_code.h"

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace capture {
namespace {

// The end of its line in the list.
constexpr std::string_view kLineEnd = " do_syscall_64";
constexpr uint64_t kMaxBytes = 1 << 16;

uint64_t AddressOf(std::string_view line) {
  uint64_t address = 0;
  std::from_chars(line.data(), line.data() + line.size(), address, 16);
  return address;
}

}  // namespace

SyscallCode FindSyscallCode(const KernelSymbols& kernel) {
  if (kernel.available()) {
    const auto symbol = kernel.Named(kLineEnd.substr(1));
    if (!symbol || symbol->size == 0 || symbol->size > kMaxBytes) return {};
    return {symbol->start, symbol->size};
  }
  std::ifstream symbols("/proc/kallsyms");
  return FindSyscallCode(symbols);
}

SyscallCode FindSyscallCode(std::istream& symbols) {
  SyscallCode code;
  for (std::string line; std::getline(symbols, line);) {
    if (code.begin != 0) {
      const uint64_t next = AddressOf(line);
      if (next == code.begin) continue;
      if (next < code.begin || next - code.begin > kMaxBytes) return {};
      code.bytes = next - code.begin;
      return code;
    }
    if (line.ends_with(kLineEnd)) code.begin = AddressOf(line);
  }
  return {};
}

}  // namespace capture
