// SPDX-License-Identifier: BSD-2-Clause
// The unwind table of one module, in the layout of include/fxt_record/unwind.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fxt_record/unwind.h"
#include "symbols/elf_file.h"
#include "unwind/frame_section.h"
#include "unwind/python_module.h"

namespace unwind {

class UnwindTable {
 public:
  // Larger code or more rows: no table.
  static constexpr uint64_t kMaxCodeBytes = uint64_t{1} << 30;
  static constexpr uint64_t kMaxFileOffset = uint64_t{1} << 40;
  static constexpr size_t kMaxRows = size_t{1} << 22;

  // The fields of fxr_unwind_module, besides positions.
  struct Shape {
    uint64_t file_offset = 0;  // of the first page
    uint32_t pages = 0;
    uint32_t rows = 0;
    uint32_t rules = 0;
    PythonModule python;

    // The positions in the words of what fxr_unwind_module names.
    uint32_t rows_at() const { return pages + 1; }
    uint32_t rules_at() const;
    // True if it is within the limits and needs this many words.
    bool Fits(size_t words) const;
  };
  // From .eh_frame, else .debug_frame. Empty if the file has neither, is for another machine than
  // 64-bit x86 and 64-bit ARM, or is too large. Any user may have made the file.
  // `buffer` holds a section and can be used again; null: one of its own.
  static UnwindTable Read(const symbols::ElfFile& file, std::vector<std::byte>* buffer = nullptr);
  // `segments`: the loaded parts of the file.
  static UnwindTable Make(const FrameSection& section,
                          std::span<const symbols::LoadSegment> segments);

  // A table of these words, which `owner` keeps; empty if they are not as many as the shape needs.
  static std::optional<UnwindTable> Restore(const Shape& shape, std::span<const fxr_u32> words,
                                            std::shared_ptr<const void> owner);

  bool empty() const { return words_.empty(); }
  // The offset in the file of the first page.
  uint64_t file_offset() const { return file_offset_; }
  Shape shape() const { return {file_offset_, pages_, row_count_, rule_count_, python_}; }
  // The interpreter that the file contains.
  const PythonModule& python() const { return python_; }
  // The words, and the positions in them of what fxr_unwind_module names.
  std::span<const fxr_u32> words() const { return words_; }
  uint32_t pages() const { return pages_; }
  uint32_t row_count() const { return row_count_; }
  uint32_t rule_count() const { return rule_count_; }
  uint32_t rows_at() const { return shape().rows_at(); }
  uint32_t rules_at() const { return shape().rules_at(); }

  // The rule of the code at `file_offset`, as the BPF programs find it.
  fxr_unwind_rule Find(uint64_t file_offset) const;

 private:
  uint64_t file_offset_ = 0;
  uint32_t pages_ = 0;
  uint32_t row_count_ = 0;
  uint32_t rule_count_ = 0;
  PythonModule python_;
  std::span<const fxr_u32> words_;
  std::shared_ptr<const void> owner_;  // of the words
};

}  // namespace unwind
