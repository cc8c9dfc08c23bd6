// SPDX-License-Identifier: BSD-2-Clause
// Makes unwind tables in a process without rights: any user may have made the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "unwind/unwind_table.h"
#include "util/isolated_worker.h"
#include "util/result.h"

namespace unwind {

class TableMaker {
 public:
  // Forks; see util::IsolatedWorker::Start().
  static util::Result<std::unique_ptr<TableMaker>> Start();

  // The table of an ELF file that is open for reading; empty if it has none. Empty if it is no ELF
  // file, or if its parser crashed.
  std::optional<UnwindTable> Make(int file);
  // Files whose parser crashed or took too long.
  uint64_t crashes() const { return worker_->crashes(); }

 private:
  explicit TableMaker(std::unique_ptr<util::IsolatedWorker> worker) : worker_(std::move(worker)) {}

  std::unique_ptr<util::IsolatedWorker> worker_;
};

// A table as bytes, and back. Untrusted bytes give a table within the limits of UnwindTable, or
// none.
util::IsolatedWorker::Bytes EncodeTable(const UnwindTable& table);
std::optional<UnwindTable> DecodeTable(std::span<const std::byte> bytes);

}  // namespace unwind
