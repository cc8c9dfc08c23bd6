// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/rewrite/recoverer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analyze/rewrite/trace_copier.h"
#include "facts/object_names.h"
#include "facts/record_kind.h"
#include "facts/recorder_facts.h"
#include "facts/scheduling.h"
#include "fxt/reader.h"
#include "schema/koid.h"

namespace analyze {
namespace {

constexpr uint64_t kProgressStep = 65'536;  // records

// A record can have the right shape and still have been overwritten. fxt-record has no koids above
// 32 bits.
bool IsImpossible(const fxt::Reader& reader) {
  if (reader.provider().name() != schema::kRecorderName) return false;
  const auto wrong = [](const fxt::ThreadRef& thread) {
    return thread.process > schema::kMaxKoid || thread.thread > schema::kMaxKoid;
  };
  const auto* legacy = std::get_if<fxt::LegacyContextSwitch>(&reader.record());
  if (legacy != nullptr) return wrong(legacy->outgoing) || wrong(legacy->incoming);
  const fxt::ThreadRef* thread = facts::ThreadOf(reader.record());
  return thread != nullptr && wrong(*thread);
}

class Recovery {
 public:
  Recovery(fxt::ByteSink& sink, RecoverResult& result) : copier_(sink), result_(result) {}

  void OnGap(uint64_t bytes) {
    ++result_.gaps;
    result_.skipped_bytes += bytes;
    undeclared_bytes_ += bytes;
  }

  void Add(const fxt::Reader& reader) {
    const fxt::Record& record = reader.record();
    copier_.Note(reader);
    names_.Note(record);
    const facts::RecordKind kind = facts::KindOf(record);
    if (kind <= facts::RecordKind::kThread && kind != facts::RecordKind::kProviderEvent) return;
    if (kind == facts::RecordKind::kKernelObject) return;
    if (IsImpossible(reader)) {
      OnGap(reader.words().size_bytes());
      return;
    }
    if (const auto time = facts::TimeOf(record, reader.provider())) {
      // The declaration stands at the time of what comes behind the gap, so that order is kept.
      if (undeclared_bytes_ != 0 && have_time_) DeclareGap(reader);
      last_ticks_ = std::visit(
          [](const auto& r) -> fxt::Ticks {
            if constexpr (requires { r.timestamp; }) return r.timestamp;
            return 0;
          },
          record);
      have_time_ = true;
    }
    copier_.Copy(reader);
  }

  void Finish(const fxt::Reader& reader) {
    if (undeclared_bytes_ != 0 && have_time_) DeclareGap(reader);
    result_.sink_failed = !copier_.Finish();
    result_.records = copier_.records();
    result_.lost_references = copier_.lost_references();
  }

  bool failed() const { return copier_.failed(); }

 private:
  void DeclareGap(const fxt::Reader& reader) {
    const auto thread =
        fxt::ThreadRef::Inline(schema::kRecorderProcessKoid, schema::kRecorderProcessKoid);
    if (names_.thread(schema::kRecorderProcessKoid) == nullptr && !track_named_) {
      track_named_ = true;
      const fxt::Argument process{fxt::StringRef::Inline("process"),
                                  fxt::KoidValue{schema::kRecorderProcessKoid}};
      copier_.Write(reader, fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kProcess),
                                              schema::kRecorderProcessKoid,
                                              fxt::StringRef::Inline(schema::kRecorderName),
                                              {}});
      copier_.Write(reader, fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                              schema::kRecorderProcessKoid,
                                              fxt::StringRef::Inline("recording"),
                                              {&process, 1}});
    }
    copier_.Write(reader,
                  fxt::ProviderEvent{reader.provider().id(), fxt::kProviderEventBufferFilledUp});
    // How many events the bytes were, nobody knows.
    const std::array arguments = {
        fxt::Argument{fxt::StringRef::Inline("cpu"), int32_t{-1}},
        fxt::Argument{fxt::StringRef::Inline("count"), uint64_t{0}},
        fxt::Argument{fxt::StringRef::Inline("category"), fxt::StringRef::Inline("damage")},
        fxt::Argument{fxt::StringRef::Inline("bytes"), undeclared_bytes_}};
    fxt::Event event{fxt::EventType::kInstant,
                     last_ticks_,
                     thread,
                     fxt::StringRef::Inline(schema::kRecorderName),
                     fxt::StringRef::Inline("lost_events"),
                     arguments,
                     0};
    copier_.Write(reader, event);
    const fxt::Argument total{fxt::StringRef::Inline("damage"), result_.skipped_bytes};
    event.type = fxt::EventType::kCounter;
    event.arguments = {&total, 1};
    event.payload = static_cast<uint64_t>(int64_t{-1});
    copier_.Write(reader, event);
    undeclared_bytes_ = 0;
  }

  TraceCopier copier_;
  RecoverResult& result_;
  facts::ObjectNames names_;
  uint64_t undeclared_bytes_ = 0;
  bool have_time_ = false;
  fxt::Ticks last_ticks_ = 0;
  bool track_named_ = false;
};

}  // namespace

RecoverResult RecoverTrace(fxt::ByteSource& source, fxt::ByteSink& sink,
                           const std::function<void(uint64_t)>& on_progress) {
  RecoverResult result;
  Recovery recovery(sink, result);
  fxt::ReaderOptions options;
  options.recover = true;
  options.max_diagnostics = 0;
  options.on_diagnostic = [&](const fxt::Diagnostic& diagnostic) {
    if (diagnostic.kind == fxt::DiagnosticKind::kBytesSkipped) recovery.OnGap(diagnostic.value);
  };
  fxt::Reader reader(source, options);
  uint64_t records = 0;
  while (!recovery.failed()) {
    const fxt::ReadStatus status = reader.Next();
    if (status == fxt::ReadStatus::kNeedMore) continue;
    if (status != fxt::ReadStatus::kRecord) break;
    recovery.Add(reader);
    if (on_progress && ++records % kProgressStep == 0) on_progress(reader.position());
  }
  recovery.Finish(reader);
  result.truncated = reader.truncated();
  if (reader.error() != fxt::ReadError::kNone) result.unreadable = reader.error_message();
  return result;
}

}  // namespace analyze
