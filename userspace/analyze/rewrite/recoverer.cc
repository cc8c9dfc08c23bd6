// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/recoverer.h"

#include "analyze/rewrite/record_validator.h"
#include "analyze/rewrite/recovery.h"
#include "facts/read_loop.h"
#include "fxt/reader.h"

namespace analyze {
namespace {

constexpr uint64_t kProgressStep = 65'536;  // records

}  // namespace

RecoverResult RecoverTrace(fxt::ByteSource& source, fxt::ByteSink& sink,
                           const std::function<void(uint64_t)>& on_progress) {
  RecoverResult result;
  RecordValidator validator;
  Recovery recovery(sink, validator.names(), result);
  fxt::ReaderOptions options;
  options.recover = true;
  options.max_diagnostics = 0;
  options.on_diagnostic = [&](const fxt::Diagnostic& diagnostic) {
    if (diagnostic.kind != fxt::DiagnosticKind::kBytesSkipped) return;
    validator.NoteHole(diagnostic.value);
    recovery.OnGap(diagnostic.value);
  };
  options.validate = [&](const fxt::Reader& at) { return validator.IsPlausible(at); };
  fxt::Reader reader(source, options);
  uint64_t records = 0;
  while (!recovery.failed() && facts::NextRecord(reader) == fxt::ReadStatus::kRecord) {
    validator.Note(reader);
    recovery.Add(reader);
    if (on_progress && ++records % kProgressStep == 0) on_progress(reader.position());
  }
  recovery.Finish(reader);
  result.truncated = reader.truncated();
  if (reader.error() != fxt::ReadError::kNone) result.unreadable = reader.error_message();
  return result;
}

}  // namespace analyze
