// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/read_loop.h"

#include <fmt/format.h>

#include "tools/common/message.h"
#include "tools/fxt/support/failure.h"

namespace tools {

void WarnAboutDamage(const std::string& file, const fxt::Reader& reader) {
  const fxt::DiagnosticLog& found = reader.diagnostics();
  WarnAboutDamage(file, {.is_cut_short = reader.truncated(),
                         .malformed = found.count(fxt::DiagnosticClass::kMalformed),
                         .dropped_names = found.count(fxt::DiagnosticKind::kTableLimit)});
}

void WarnAboutDamage(const std::string& file, const tables::ScanFaults& faults) {
  if (faults.is_cut_short) {
    PrintNote(kProgram, fmt::format("note: {} is cut short; read to its last whole record", file));
  }
  if (faults.malformed != 0) {
    PrintNote(kProgram, fmt::format("note: {}: {} malformed records were skipped (see fxt check)",
                                    file, faults.malformed));
  }
  if (faults.dropped_names != 0) {
    PrintNote(kProgram, fmt::format("note: {}: {} names of providers exceed the reader's memory "
                                    "limit and were dropped (see fxt check)",
                                    file, faults.dropped_names));
  }
  if (faults.cut_texts != 0) {
    PrintNote(kProgram,
              fmt::format(
                  "note: {}: {} texts were cut: rows with all of them would be many times as large "
                  "as the file",
                  file, faults.cut_texts));
  }
  if (faults.paths_left_out != 0) {
    PrintNote(
        kProgram,
        fmt::format(
            "note: {}: table path leaves out {} requests, which overlap so much that all paths "
            "would be many times as long as the file (fxt path --span chooses)",
            file, faults.paths_left_out));
  }
  if (faults.is_incomplete) {
    PrintNote(
        kProgram,
        fmt::format("note: {} has more threads, names or open spans than a query keeps: rows or "
                    "names are missing",
                    file));
  }
}

}  // namespace tools
