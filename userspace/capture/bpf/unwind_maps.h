// SPDX-License-Identifier: BSD-2-Clause
// The memory that the unwinder of the BPF programs reads; see include/fxt_record/unwind.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "fxt_record/python.h"
#include "fxt_record/unwind.h"
#include "util/result.h"

namespace capture {

class UnwindMaps {
 public:
  struct Sources {
    int words = -1;  // an array of chunks
    int modules = -1;
    int ranges = -1;
    int processes = -1;
    int files = -1;
    int python_layouts = -1;
    // Variables of the programs; the first changes after each change of `processes`.
    fxr_u32* processes_age = nullptr;
    fxr_u32* tables_age = nullptr;
    fxr_u32* use_time = nullptr;
    fxr_u32* vdso = nullptr;
  };

  // No maps.
  UnwindMaps() = default;
  // The descriptors must stay open.
  static util::Result<UnwindMaps> Map(const Sources& sources);
  UnwindMaps(UnwindMaps&& other) noexcept { *this = std::move(other); }
  UnwindMaps& operator=(UnwindMaps&& other) noexcept;
  ~UnwindMaps();

  bool empty() const { return words_.empty(); }
  // Only words that were provided may be accessed.
  std::span<fxr_u32> words() const { return words_; }
  // Makes the chunks of these words; false if the kernel has no memory for them.
  bool ProvideWords(uint32_t first, uint32_t count);
  // Writes words that were provided.
  void WriteWords(uint32_t first, std::span<const fxr_u32> words);
  // Bytes of the chunks that were made.
  uint64_t words_bytes() const;
  std::span<fxr_unwind_module> modules() const { return modules_; }
  std::span<fxr_unwind_range> ranges() const { return ranges_; }

  // Returns false if there are too many processes.
  bool SetProcess(uint32_t tgid, const fxr_unwind_process& process);
  void RemoveProcess(uint32_t tgid);
  // The module of a file, 0 if the file has no table.
  void SetFile(const fxr_unwind_file& file, uint32_t module);
  void RemoveFile(const fxr_unwind_file& file);
  void SetVdso(uint32_t module);
  // The number of a layout of CPython, the same for equal ones; nothing if there are too many.
  std::optional<uint32_t> AddPythonLayout(const fxr_python_layout& layout);
  // To be called after a table came or went: stacks that were unwound before are unwound again.
  void ChangeAge();
  // The time that the programs write into the modules that they use.
  void SetUseTime(uint32_t time);

 private:
  Sources sources_;
  std::span<fxr_u32> words_;  // reserved addresses, into which the chunks are mapped
  std::vector<bool> chunks_;  // that were made
  std::vector<fxr_python_layout> python_layouts_;
  std::span<fxr_unwind_module> modules_;
  std::span<fxr_unwind_range> ranges_;
};

}  // namespace capture
