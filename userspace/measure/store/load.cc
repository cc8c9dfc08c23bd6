// SPDX-License-Identifier: BSD-2-Clause
#include "measure/store/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "fxt/reader.h"
#include "measure/store/summary_file.h"
#include "source/input.h"
#include "util/quantity.h"

namespace measure {
namespace {

constexpr uint64_t kProgressStep = 65'536;
constexpr auto kPause = std::chrono::milliseconds(10);
// Bytes of a trace that a second thread is worth it for.
constexpr size_t kLeastForTwo = size_t{1} << 20;

// A source whose first bytes were looked at.
class Peeked final : public fxt::ByteSource {
 public:
  explicit Peeked(fxt::ByteSource& rest) : rest_(rest) {}

  // The first bytes, fewer where there are no more.
  std::span<const std::byte> Start() {
    while (have_ < start_.size()) {
      const fxt::ReadResult result = rest_.Read(std::span(start_).subspan(have_));
      if (result.kind == fxt::ReadResult::Kind::kAgain) {
        std::this_thread::sleep_for(kPause);
        continue;
      }
      if (result.kind != fxt::ReadResult::Kind::kBytes) {
        ended_ = result;
        break;
      }
      have_ += result.bytes;
    }
    return std::span(start_).first(have_);
  }

  fxt::ReadResult Read(std::span<std::byte> into) override {
    if (next_ == have_) return ended_ ? *ended_ : rest_.Read(into);
    const size_t bytes = std::min(into.size(), have_ - next_);
    std::memcpy(into.data(), start_.data() + next_, bytes);
    next_ += bytes;
    return fxt::ReadResult::Bytes(bytes);
  }
  std::string ErrorText() const override { return rest_.ErrorText(); }
  uint64_t position() const override { return rest_.position(); }
  uint64_t total() const override { return rest_.total(); }

 private:
  fxt::ByteSource& rest_;
  std::array<std::byte, kSummaryMagicBytes> start_{};
  size_t have_ = 0;
  size_t next_ = 0;
  std::optional<fxt::ReadResult> ended_;
};

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
    if (result.kind == fxt::ReadResult::Kind::kAgain) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
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
                                   const fxt::ByteSource& progress_of, const LoadOptions& options) {
  fxt::ReaderOptions reader_options;
  reader_options.max_diagnostics = 1;
  fxt::Reader reader(source, reader_options);
  Collector collector(options.collector);
  for (uint64_t records = 0;;) {
    records += collector.AddFastPath(reader, kProgressStep - records);
    if (records < kProgressStep) {
      const fxt::ReadStatus status = reader.Next();
      if (status == fxt::ReadStatus::kNeedMore) {
        std::this_thread::sleep_for(kPause);
        continue;
      }
      if (status != fxt::ReadStatus::kRecord) break;
      collector.Add(reader);
      ++records;
    }
    if (records < kProgressStep) continue;
    records = 0;
    if (options.progress) options.progress(reader.position(), progress_of);
    if (collector.IsDone()) break;
  }
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

// The holders of the CPU are found in a thread, which reads the trace for itself: handing over what
// is read costs more than reading it twice. Nothing where it cannot be done so: then nobody
// was told anything.
std::optional<util::Result<Capture>> CollectInTwoThreads(const std::string& path,
                                                         fxt::ByteSource& source,
                                                         const LoadOptions& options) {
  auto again = source::OpenInput(path);
  if (!again) return std::nullopt;
  const auto contents = (*again)->Contents();
  // It has grown, or is another one meanwhile.
  if (!contents || contents->size() != source.Contents()->size()) return std::nullopt;
  LoadOptions first = options;
  first.collector.work = Work::kTimes;
  LoadOptions second;
  second.collector = options.collector;
  second.collector.work = Work::kHolders;
  second.collector.watcher = nullptr;
  std::promise<util::Result<Capture>> promise;
  std::future<util::Result<Capture>> holders = promise.get_future();
  std::jthread thread;
  try {
    thread = std::jthread([&] {
      try {
        promise.set_value(CollectTrace(path, **again, **again, second));
      } catch (...) {
        promise.set_exception(std::current_exception());
      }
    });
  } catch (const std::system_error&) {
    return std::nullopt;
  }
  auto times = CollectTrace(path, source, source, first);
  auto found = holders.get();
  if (!times) return times;
  if (!found) return found;
  if (!TakeHolders(*times, std::move(*found))) {
    return util::Error{fmt::format("{} changed while it was read", path), "try again"};
  }
  return times;
}

util::Result<Capture> LoadTrace(const std::string& path, fxt::ByteSource& source,
                                const fxt::ByteSource& progress_of, const LoadOptions& options) {
  const auto contents = source.Contents();
  if (options.two_threads && contents && contents->size() >= kLeastForTwo) {
    if (auto capture = CollectInTwoThreads(path, source, options)) return std::move(*capture);
  }
  return CollectTrace(path, source, progress_of, options);
}

}  // namespace

util::Result<std::vector<Capture>> LoadAll(const std::string& path, const LoadOptions& options) {
  auto source = source::OpenInput(path);
  if (!source) return source.error();
  if (const auto contents = (*source)->Contents()) {
    if (IsSummary(*contents)) return LoadSummaries(path, *contents);
    return OneOf(LoadTrace(path, **source, **source, options));
  }
  Peeked peeked(**source);
  if (IsSummary(peeked.Start())) return LoadSummaries(path, peeked);
  return OneOf(LoadTrace(path, peeked, **source, options));
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
