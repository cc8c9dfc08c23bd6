// SPDX-License-Identifier: BSD-2-Clause
// Lengths of interrupt handlers, softirqs and system calls, from the begins and ends of their
// events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "facts/koid_index.h"
#include "fxt/record.h"
#include "measure/collect/counted_fact.h"
#include "measure/collect/name_table.h"

namespace measure {

enum class SpanKind : uint8_t { kIrq, kSoftirq, kSyscall };

// A span that ended, or that an edge of the capture cuts.
struct ClosedSpan {
  SpanKind kind = SpanKind::kIrq;
  fxt::Koid track = 0;  // for a system call its thread, otherwise a CPU's track
  uint32_t owner = 0;   // the argument of Begin()
  uint32_t name = 0;    // in SpanMeter::names()
  uint64_t begin = 0;
  uint64_t end = 0;
  Extent extent = Extent::kWhole;
};

// One span at a time is open on a track: handlers of one kind and system calls do not nest. A begin
// behind a begin, and an end of another name, mean that what was between them is missing.
class SpanMeter {
 public:
  static constexpr size_t kMaxTracks = size_t{1} << 20;

  // The kind of an event's span, by its category; empty for other categories.
  static std::optional<SpanKind> KindOf(const fxt::Event& event);

  // `owner` is handed back with the span.
  void Begin(SpanKind kind, const fxt::Event& event, uint64_t time, uint32_t owner);
  // Empty where nothing is known of its begin. An end without any begin on its track is of a span
  // that was open at `window_begin`; its owner is `owner`.
  std::optional<ClosedSpan> End(SpanKind kind, const fxt::Event& event, uint64_t time,
                                uint64_t window_begin, uint32_t owner);
  // Events were lost: spans that are open now may be several.
  void NoteLoss() { ++losses_; }
  // Adds open spans, which are cut.
  std::vector<ClosedSpan> Finish(uint64_t end) const;

  const NameTable& names() const { return names_; }

 private:
  struct Track {
    fxt::Koid koid = 0;
    SpanKind kind = SpanKind::kIrq;
    bool open = false;
    bool seen = false;
    uint32_t owner = 0;
    uint32_t name = 0;
    uint32_t losses = 0;
    uint64_t begin = 0;
  };
  Track* TrackOf(SpanKind kind, fxt::Koid koid);
  uint32_t NameOf(SpanKind kind, const fxt::Event& event);

  NameTable names_{1000};
  facts::KoidIndex index_{kMaxTracks};
  std::vector<Track> tracks_;
  uint32_t losses_ = 0;
};

}  // namespace measure
