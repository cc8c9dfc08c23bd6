// SPDX-License-Identifier: BSD-2-Clause
#include "unit/support/branchy_code.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#ifdef __x86_64__
asm(R"(
  .pushsection .text
  .hidden lbr_test_caller
  .globl lbr_test_caller
  .type lbr_test_caller, @function
lbr_test_caller:
  .byte 0xe8
  .long lbr_test_callee - . - 4
  ret
  .size lbr_test_caller, . - lbr_test_caller
  .balign 16
  .hidden lbr_test_callee
  .globl lbr_test_callee
  .type lbr_test_callee, @function
lbr_test_callee:
  .byte 0x74, 0
  .byte 0xeb, 0
  ret
  .size lbr_test_callee, . - lbr_test_callee
  .popsection
)");
extern "C" void lbr_test_caller();
extern "C" void lbr_test_callee();
#endif

namespace testing_support {

BranchyCode FindBranchyCode() {
  BranchyCode code;
#ifdef __x86_64__
  const auto caller = reinterpret_cast<uint64_t>(&lbr_test_caller);
  const auto callee = reinterpret_cast<uint64_t>(&lbr_test_callee);
  code.file = std::filesystem::read_symlink("/proc/self/exe");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long start, end, offset;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
        caller >= start && callee < end) {
      code.map_offset = offset;
      code.map_size = end - start;
      code.caller = caller - start + offset;
      code.callee = callee - start + offset;
      return code;
    }
  }
#endif
  return code;
}

}  // namespace testing_support
