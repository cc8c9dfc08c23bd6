// SPDX-License-Identifier: BSD-2-Clause
#include "measure/store/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "facts/read_loop.h"
#include "fxt/reader.h"
#include "measure/store/summary_file.h"
#include "source/input.h"
#include "source/peeked_source.h"
#include "util/quantity.h"

namespace measure {
namespace {

util::Error Named(const std::string& path, const util::Error& error) {
  return {fmt::format("{}: {}", path == "-" ? "standard input" : path, error.message), error.hint};
}

using CaptureList = util::Result<std::vector<Capture>>;

CaptureList LoadSummaries(const std::string& path, std::span<const std::byte> bytes) {
  auto captures = DecodeSummaries(bytes);
  if (!captures) return Named(path, captures.error());
  for (Capture& capture : *captures) capture.file = path;
  return captures;
}

CaptureList LoadSummaries(const std::string& path, fxt::ByteSource& source) {
  std::vector<std::byte> bytes;
  std::vector<std::byte> piece(size_t{64} << 10);
  for (;;) {
    const fxt::ReadResult result = source.Read(piece);
    if (result.kind == fxt::ReadResult::Kind::kError) {
      return Named(path, {source.ErrorText(), ""});
    }
    if (result.kind != fxt::ReadResult::Kind::kBytes) break;
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<long>(result.bytes));
    // One byte more is too much, which is said below.
    if (bytes.size() > kMaxSummaryBytes) break;
  }
  return LoadSummaries(path, bytes);
}

CaptureList OneOf(util::Result<Capture> capture) {
  if (!capture) return capture.TakeError();
  std::vector<Capture> one;
  one.push_back(std::move(*capture));
  return one;
}

// Recorders that merge CPUs may be late by a little, which does no harm that is worth a word.
util::Status JudgeOrder(const std::string& path, const Collector& collector,
                        const LoadOptions& options) {
  constexpr uint64_t kHarmless = 1'000'000;
  const Collector::Disorder& disorder = collector.disorder();
  if (disorder.most_ns < kHarmless && !collector.IsJumbled()) return util::Ok();
  const std::string what =
      fmt::format("{} switches and wakeups are earlier than ones before them, by up to {}",
                  disorder.records, util::FormatDuration(disorder.most_ns));
  if (collector.IsJumbled()) {
    return Named(path, {"not in order of time: " + what,
                        fmt::format("put it in order: fxt merge {} -o SORTED.fxt", path)});
  }
  if (options.notes != nullptr) {
    options.notes->push_back(
        fmt::format("{}: {}; times around them are wrong (fxt merge sorts)", path, what));
  }
  return util::Ok();
}

util::Result<Capture> CollectTrace(const std::string& path, fxt::ByteSource& source,
                                   const LoadOptions& options) {
  fxt::ReaderOptions reader_options;
  reader_options.max_diagnostics = 1;
  fxt::Reader reader(source, reader_options);
  Collector collector(options.collector);
  facts::ReadRecords(reader, collector, [&] {
    if (options.progress) options.progress(reader.position(), source);
    return !collector.IsDone();
  });
  if (reader.error() != fxt::ReadError::kNone) return Named(path, {reader.error_message(), ""});
  if (options.notes != nullptr) {
    if (reader.truncated()) {
      options.notes->push_back(fmt::format("{} is cut short; read to its last whole record", path));
    }
    const uint64_t malformed = reader.diagnostics().count(fxt::DiagnosticClass::kMalformed);
    if (malformed != 0) {
      options.notes->push_back(
          fmt::format("{}: {} malformed records were skipped (see fxt check)", path, malformed));
    }
  }
  if (auto order = JudgeOrder(path, collector, options); !order) return order.TakeError();
  Capture capture = collector.Finish();
  capture.file = path;
  return capture;
}

}  // namespace

util::Result<std::vector<Capture>> LoadAll(const std::string& path, const LoadOptions& options) {
  auto source = source::OpenInput(path);
  if (!source) return source.error();
  if (const auto contents = (*source)->Contents()) {
    if (IsSummary(*contents)) return LoadSummaries(path, *contents);
    return OneOf(CollectTrace(path, **source, options));
  }
  source::PeekedSource peeked(std::move(*source));
  if (IsSummary(peeked.Peek(kSummaryMagicBytes))) return LoadSummaries(path, peeked);
  return OneOf(CollectTrace(path, peeked, options));
}

util::Result<Capture> Load(const std::string& path, const LoadOptions& options) {
  auto captures = LoadAll(path, options);
  if (!captures) return captures.TakeError();
  if (captures->size() != 1) {
    return Named(path, {fmt::format("there are {} captures in it", captures->size()),
                        "fxt diff takes several; give a file of one"});
  }
  return std::move(captures->front());
}

}  // namespace measure
