// SPDX-License-Identifier: BSD-2-Clause
// The CPython interpreter that a program or library contains, and the layout of its structures.
#pragma once

#include <cstdint>
#include <optional>

#include "fxt_record/python.h"
#include "symbols/elf_file.h"

namespace unwind {

// Trivially copyable, without padding: it is stored in files.
struct PythonModule {
  uint32_t minor = 0;  // of the version, 3.x; 0: no interpreter
  // Offsets that the file has itself (3.13 and later); 0: those of the version.
  uint32_t interpreters = 0;
  uint32_t next_interpreter = 0;
  uint32_t threads = 0;
  // The address of _PyRuntime, counted from where byte 0 of the file would be mapped with the code.
  uint64_t runtime = 0;
  // The evaluation loop: offset in the file, bytes.
  uint64_t loop = 0;
  uint64_t loop_bytes = 0;

  bool empty() const { return minor == 0; }
};
static_assert(sizeof(PythonModule) == 40);

// Looks in the file's dynamic symbols. Empty without an interpreter. Any user may have made the
// file.
PythonModule FindPython(const symbols::ElfFile& file);

// Nothing for a version whose layout is not known. Verified with Python 3.9 to 3.13 without the
// option of free threads.
std::optional<fxr_python_layout> PythonLayout(const PythonModule& module);

}  // namespace unwind
