// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/read_loop.h"

#include <fmt/format.h>

#include "tools/common/message.h"
#include "tools/fxt/support/failure.h"

namespace tools {

void WarnAboutDamage(const std::string& file, const fxt::Reader& reader) {
  if (reader.truncated()) {
    PrintNote(kProgram, fmt::format("note: {} is cut short; read to its last whole record", file));
  }
  const uint64_t malformed = reader.diagnostics().count(fxt::DiagnosticClass::kMalformed);
  if (malformed != 0) {
    PrintNote(kProgram, fmt::format("note: {}: {} malformed records were skipped (see fxt check)",
                                    file, malformed));
  }
  const uint64_t dropped = reader.diagnostics().count(fxt::DiagnosticKind::kTableLimit);
  if (dropped != 0) {
    PrintNote(kProgram, fmt::format("note: {}: {} names of providers exceed the reader's memory "
                                    "limit and were dropped (see fxt check)",
                                    file, dropped));
  }
}

void WarnAboutDamage(const std::string& file, const tables::Scan& scan) {
  WarnAboutDamage(file, scan.reader());
  if (scan.cut_texts() != 0) {
    PrintNote(kProgram, fmt::format("note: {}: {} texts were cut: rows with all of them would be many times as large "
                                    "as the file",
                                    file, scan.cut_texts()));
  }
  if (scan.is_incomplete()) {
    PrintNote(
        kProgram,
        fmt::format("note: {} has more threads, names or open spans than a query keeps: rows or "
                    "names are missing",
                    file));
  }
}

}  // namespace tools
