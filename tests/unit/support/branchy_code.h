// SPDX-License-Identifier: BSD-2-Clause
// A few instructions of the test program, known to the byte, for reports that read executables.
#pragma once

#include <cstdint>
#include <string>

namespace testing_support {

// lbr_test_caller:  +0 call lbr_test_callee   +5 return
// lbr_test_callee:  +0 conditional jump to +2   +2 jump to +4   +4 return
struct BranchyCode {
  std::string file;         // the program
  uint64_t map_offset = 0;  // of the mapping that has the code, in the file
  uint64_t map_size = 0;
  uint64_t caller = 0;  // offsets in the file
  uint64_t callee = 0;
};

// `map_size` is 0 where the program is not x86-64.
BranchyCode FindBranchyCode();

}  // namespace testing_support
