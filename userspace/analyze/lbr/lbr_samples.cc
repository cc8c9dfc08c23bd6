// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_samples.h"

#include <fmt/format.h>

#include "facts/read_loop.h"
#include "facts/scheduling.h"

namespace analyze {

void LbrWalk::Take(const fxt::Reader& reader) {
  if (!sections_.Has(reader)) return;
  const fxt::Record& record = reader.record();
  if (!started_) {
    if (const auto time = facts::TimeOf(record, reader.provider())) {
      started_ = true;
      visitor_.OnStart(*time);
    }
  }
  if (const auto* blob = std::get_if<fxt::Blob>(&record)) {
    TakeBlob(reader, *blob);
  } else if (const auto* module = std::get_if<fxt::ProfilerModule>(&record)) {
    visitor_.OnModule({module->thread.process, module->module_id, module->name, module->build_id});
  } else if (const auto* mmap = std::get_if<fxt::ProfilerMmap>(&record)) {
    // A sample without all of its records precedes this mapping.
    Finish();
    visitor_.OnMapping(
        {mmap->thread.process, mmap->module_id, mmap->start, mmap->size, mmap->module_offset});
  } else if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    visitor_.OnKernelObject(*object);
  } else if (std::holds_alternative<fxt::Event>(record)) {
    Finish();
  }
}

void LbrWalk::Finish() {
  if (!pending_) return;
  pending_ = false;
  if (std::optional<perf::BranchStackSample> sample = decoder_.Finish()) {
    sample->time = time_;
    visitor_.OnSample(*sample);
  }
}

void LbrWalk::TakeBlob(const fxt::Reader& reader, const fxt::Blob& blob) {
  if (blob.type == static_cast<uint8_t>(fxt::BlobType::kData)) {
    if (!pending_) return;
    const util::Result<bool> taken = decoder_.TakeCompanion(blob.name.text, blob.payload);
    if (!taken) Note(reader, taken.error().message);
    return;
  }
  if (blob.type != static_cast<uint8_t>(fxt::BlobType::kLastBranch)) return;
  Finish();
  const util::Status taken = decoder_.TakeBlob(blob.payload);
  if (!taken) {
    Note(reader, taken.error().message);
    return;
  }
  pending_ = true;
  time_ = reader.ToNanoseconds(decoder_.time());
  if (!started_) {
    started_ = true;
    visitor_.OnStart(time_);
  }
}

void LbrWalk::Note(const fxt::Reader& reader, const std::string& why) {
  if (problems_.damaged_blobs++ == 0) {
    problems_.first_damaged = fmt::format("record at byte {}: {}", reader.offset(), why);
  }
}

LbrProblems VisitLbr(fxt::Reader& reader, LbrVisitor& visitor) {
  LbrWalk walk(visitor);
  while (visitor.WantsMore() && facts::NextRecord(reader) == fxt::ReadStatus::kRecord) {
    walk.Take(reader);
  }
  walk.Finish();
  return walk.problems();
}

}  // namespace analyze
